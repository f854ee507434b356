// main.cpp: small C++ programs for the tests of `signalbox explore`, one for each word on the command line. None knows of it.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <iostream>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

using namespace std::chrono_literals;

namespace {

std::mutex first, second;
int value;

void in_threads(int count, auto body) {
  std::vector<std::jthread> threads;
  for (int number = 0; number < count; number++) threads.emplace_back(body, number);
}

// --- right in every schedule ---

// The main thread has a recursive lock when its first thread begins.
int held_early() {
  std::recursive_mutex again;
  again.lock();
  std::jthread thread([&] { std::lock_guard one(again); value++; });
  again.lock();
  value++;
  again.unlock();
  again.unlock();
  thread.join();
  return value == 2 ? 0 : 20;
}

int mutexes() {
  std::timed_mutex timed;
  std::shared_mutex table;
  std::shared_timed_mutex late;
  std::atomic<int> had = 0;
  int seen = -1;
  in_threads(2, [&](int number) {
    { std::scoped_lock both(first, second); value++; }
    if (timed.try_lock_for(10ms)) { std::this_thread::sleep_for(1ms); timed.unlock(); }
    had++;
    if (number == 0) {
      std::unique_lock writer(table);
      value++;
    } else {
      std::shared_lock reader(table);
      seen = value;
    }
    if (std::unique_lock writer(late, 100ms); writer) std::this_thread::yield();
    if (std::shared_lock reader(late, 100ms); reader) std::this_thread::yield();
  });
  return value == 3 && had == 2 && seen >= 1 ? 0 : 20;
}

int conditions() {
  std::condition_variable changed;
  std::condition_variable_any any;
  std::mutex other;
  bool is_there = false, is_second = false;
  std::jthread thread([&] {
    std::this_thread::sleep_for(5ms);
    { std::lock_guard one(first); is_there = true; }
    changed.notify_one();
    { std::lock_guard one(other); is_second = true; }
    any.notify_all();
  });
  std::unique_lock lock(first);
  // Each comes to its limit in some schedule, and is asked again.
  while (!changed.wait_for(lock, 10ms, [&] { return is_there; })) value++;
  while (!changed.wait_until(lock, std::chrono::system_clock::now() + 10ms, [&] { return is_there; })) value++;
  lock.unlock();
  std::unique_lock two(other);
  while (!any.wait_for(two, 10ms, [&] { return is_second; })) value++;
  return 0;
}

// The first who comes fails, and the next does it; nobody comes through before.
int once_throws() {
  std::once_flag once;
  std::atomic<int> tries = 0, thrown = 0, early = 0;
  in_threads(3, [&](int) {
    for (bool is_done = false; !is_done;) {
      try {
        std::call_once(once, [&] {
          int number = ++tries;
          std::this_thread::sleep_for(1ms);
          if (number < 3) throw std::runtime_error("not yet");
          value = 7;
        });
        is_done = true;
        if (value != 7) early++;
      } catch (const std::runtime_error &) {
        thrown++;
      }
    }
  });
  return tries == 3 && thrown == 2 && early == 0 ? 0 : 20;
}
// One in another, both left by one exception; and one that is left by its thread's end.
std::once_flag outer, inner, last;
int once_within() {
  std::atomic<int> thrown = 0, done = 0;
  in_threads(2, [&](int) {
    for (int round = 0; round < 2; round++) {
      try {
        std::call_once(outer, [&] {
          std::call_once(inner, [&] {
            std::this_thread::yield();
            if (thrown == 0) throw 1;
          });
          done++;
        });
      } catch (int) {
        thrown++;
      }
    }
  });
  if (thrown != 1 || done != 1) return 20;
  pthread_t threads[2];
  auto end = [](void *) -> void * {
    std::call_once(last, [] {
      value++;
      std::this_thread::yield();
      if (value == 1) pthread_exit(nullptr);
    });
    return nullptr;
  };
  for (auto &thread : threads) pthread_create(&thread, nullptr, end, nullptr);
  for (auto &thread : threads) pthread_join(thread, nullptr);
  return value == 2 ? 0 : 21;
}

int counted() {
  std::counting_semaphore<4> permits(0);
  std::binary_semaphore turn(1);
  std::latch begun(2);
  int phases = 0, sum = 0;
  std::barrier line(2, [&]() noexcept { phases++; });
  std::atomic<int> flag = 0;
  in_threads(2, [&](int number) {
    begun.arrive_and_wait();
    for (int round = 0; round < 2; round++) {
      turn.acquire();
      sum++;
      turn.release();
      line.arrive_and_wait();
    }
    if (number == 0) {
      permits.release(2);
      flag = 1;
      flag.notify_all();
    } else {
      permits.acquire();
      while (!permits.try_acquire_for(1ms)) {}
      flag.wait(0);
    }
  });
  return sum == 4 && phases == 2 ? 0 : 20;
}

int futures() {
  std::promise<int> promise;
  auto answer = promise.get_future();
  auto late = std::async(std::launch::async, [] { std::this_thread::sleep_for(5ms); return 20; });
  std::packaged_task<int()> task([]() -> int { throw std::runtime_error("no answer"); });
  auto broken = task.get_future();
  std::jthread teller([&] { promise.set_value(1); task(); });
  while (late.wait_for(1ms) != std::future_status::ready) value++;
  bool is_broken = false;
  try { broken.get(); } catch (const std::runtime_error &) { is_broken = true; }
  return answer.get() + late.get() == 21 && is_broken ? 0 : 20;
}

int stops() {
  std::mutex lock;
  std::condition_variable_any changed;
  bool is_stopped = false;
  {
    std::jthread worker([&](std::stop_token token) {
      std::unique_lock one(lock);
      while (!token.stop_requested()) changed.wait(one, token, [] { return false; });
      is_stopped = true;
    });
    std::this_thread::sleep_for(1ms);
  }
  return is_stopped ? 0 : 20;
}

// --- wrong in some ---

int abba() {
  in_threads(2, [](int number) {
    std::lock_guard one(number ? first : second);
    std::lock_guard other(number ? second : first);
    value++;
  });
  return 0;
}
int lost_update() {
  in_threads(2, [](int) {
    int now;
    { std::lock_guard one(first); now = value; }
    std::lock_guard one(first);
    value = now + 1;
  });
  return value == 2 ? 0 : 2;
}
}  // namespace

int main(int count, char **words) {
  const std::string word = count > 1 ? words[1] : "";
  std::cout << "begun: " << word << std::endl;
  if (word == "held-early") return held_early();
  if (word == "mutexes") return mutexes();
  if (word == "conditions") return conditions();
  if (word == "once-throws") return once_throws();
  if (word == "once-within") return once_within();
  if (word == "counted") return counted();
  if (word == "futures") return futures();
  if (word == "stops") return stops();
  if (word == "abba") return abba();
  if (word == "lost-update") return lost_update();
  return 64;
}
