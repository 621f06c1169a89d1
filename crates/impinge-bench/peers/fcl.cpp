// FCL as a peer: reads commands from stdin, does discrete work, answers with one line each on stdout.
//
//   mesh NV NT, then vertices, then triangles     -> ok           a model with an OBBRSS tree
//   link MESH PARENT AXIS(3) POSE(12)             -> ok           PARENT -1 for the root; POSE by rows, of the joint in its parent
//   plant MESH                                    -> ok
//   motions N, then q0 and q1 of each             -> ok
//   poses REPEATS                                 -> SECONDS BITS all links against the plant at q0, first contact ends a pose
//   sampled STEP REPEATS                          -> SECONDS BITS the same at every STEP radians of the joint that turns most
//   pair A B, starts N, then poses                -> ok
//   distance                                      -> SECONDS SUM  distance of A at each pose to B
//   build                                         -> SECONDS -    both models of the pair once more, from their triangles
//
// Times are CPU time of a whole pass over all motions or poses: poses and sampled make one pass untimed, to be warm, then the mean of REPEATS.

#include <fcl/fcl.h>
#include <time.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using Model = fcl::BVHModel<fcl::OBBRSSd>;
using Pose = fcl::Transform3d;

struct Link {
  int mesh, parent;
  fcl::Vector3d axis;
  Pose origin;
};

struct Motion {
  std::vector<double> from, to;
};

static std::vector<std::shared_ptr<Model>> meshes;
static std::vector<Link> links;
static std::vector<Motion> motions;
static std::vector<Pose> starts;
static int plant = 0, pair_a = 0, pair_b = 0;

static Pose read_pose() {
  Pose p = Pose::Identity();
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) std::cin >> p.matrix()(i, j);
  return p;
}

static void read_mesh() {
  size_t nv, nt;
  std::cin >> nv >> nt;
  std::vector<fcl::Vector3d> vertices(nv);
  for (auto& v : vertices) std::cin >> v[0] >> v[1] >> v[2];
  std::vector<fcl::Triangle> triangles(nt);
  for (auto& t : triangles) {
    size_t a, b, c;
    std::cin >> a >> b >> c;
    t.set(a, b, c);
  }
  auto model = std::make_shared<Model>();
  model->beginModel(nt, nv);
  model->addSubModel(vertices, triangles);
  model->endModel();
  meshes.push_back(model);
}

static void read_motions() {
  size_t n;
  std::cin >> n;
  motions.assign(n, {});
  for (auto& m : motions) {
    m.from.resize(links.size() - 1);
    m.to.resize(links.size() - 1);
    for (auto& q : m.from) std::cin >> q;
    for (auto& q : m.to) std::cin >> q;
  }
}

// Whether any link touches the plant with the joints at from + t (to - from).
static bool touches(const Motion& m, double t, std::vector<Pose>& at) {
  for (size_t i = 0; i < links.size(); i++) {
    const Link& l = links[i];
    at[i] = l.origin;
    if (l.parent >= 0) {
      const double q = m.from[i - 1] + t * (m.to[i - 1] - m.from[i - 1]);
      at[i] = at[l.parent] * l.origin * Eigen::AngleAxisd(q, l.axis);
    }
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    if (fcl::collide(meshes[l.mesh].get(), at[i], meshes[plant].get(), Pose::Identity(), request, result) > 0) return true;
  }
  return false;
}

static bool touches_sampled(const Motion& m, double step, std::vector<Pose>& at) {
  double most = 0;
  for (size_t i = 0; i < m.from.size(); i++) most = std::max(most, std::abs(m.to[i] - m.from[i]));
  const int n = std::max(1, static_cast<int>(std::ceil(most / step)));
  for (int i = 0; i <= n; i++)
    if (touches(m, static_cast<double>(i) / n, at)) return true;
  return false;
}

// CPU time of this thread, as our own measurements.
static double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
static void time_passes(size_t n, int repeats, Work work) {
  std::string bits(n, '0');
  for (size_t i = 0; i < n; i++)
    if (work(i)) bits[i] = '1';
  const double begin = cpu_seconds();
  int hits = 0;
  for (int r = 0; r < repeats; r++)
    for (size_t i = 0; i < n; i++) hits += work(i);
  const double seconds = cpu_seconds() - begin;
  if (hits % repeats != 0) bits = "unsteady";
  std::printf("%.9f %s\n", seconds / repeats, bits.c_str());
}

static double sum_of_distances() {
  double sum = 0;
  for (const Pose& p : starts) {
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    sum += fcl::distance(meshes[pair_a].get(), p, meshes[pair_b].get(), Pose::Identity(), request, result);
  }
  return sum;
}

// Once untimed, as for everybody.
static void time_distance(int repeats) {
  double sum = sum_of_distances();
  const double begin = cpu_seconds();
  for (int r = 0; r < repeats; r++) sum = sum_of_distances();
  const double seconds = cpu_seconds() - begin;
  std::printf("%.9f %.12g\n", seconds / repeats, sum);
}

static void time_building() {
  const double begin = cpu_seconds();
  for (int m : {pair_a, pair_b}) {
    const Model& model = *meshes[m];
    Model again;
    again.beginModel(model.num_tris, model.num_vertices);
    again.addSubModel(std::vector<fcl::Vector3d>(model.vertices, model.vertices + model.num_vertices),
                      std::vector<fcl::Triangle>(model.tri_indices, model.tri_indices + model.num_tris));
    again.endModel();
  }
  const double seconds = cpu_seconds() - begin;
  std::printf("%.9f -\n", seconds);
}

int main() {
  std::ios::sync_with_stdio(false);
  std::string command;
  while (std::cin >> command) {
    std::vector<Pose> at(links.size());
    bool answered = false;
    if (command == "mesh") {
      read_mesh();
    } else if (command == "link") {
      Link l;
      std::cin >> l.mesh >> l.parent >> l.axis[0] >> l.axis[1] >> l.axis[2];
      l.origin = read_pose();
      links.push_back(l);
    } else if (command == "plant") {
      std::cin >> plant;
    } else if (command == "motions") {
      read_motions();
    } else if (command == "pair") {
      std::cin >> pair_a >> pair_b;
    } else if (command == "starts") {
      size_t n;
      std::cin >> n;
      starts.clear();
      for (size_t i = 0; i < n; i++) starts.push_back(read_pose());
    } else if (command == "poses") {
      int repeats;
      std::cin >> repeats;
      time_passes(motions.size(), repeats, [&](size_t i) { return touches(motions[i], 0, at); });
      answered = true;
    } else if (command == "sampled") {
      double step;
      int repeats;
      std::cin >> step >> repeats;
      time_passes(motions.size(), repeats, [&](size_t i) { return touches_sampled(motions[i], step, at); });
      answered = true;
    } else if (command == "distance") {
      int repeats;
      std::cin >> repeats;
      time_distance(repeats);
      answered = true;
    } else if (command == "build") {
      time_building();
      answered = true;
    } else {
      return 1;
    }
    if (!answered) std::printf("ok\n");
    std::fflush(stdout);
  }
  return 0;
}
