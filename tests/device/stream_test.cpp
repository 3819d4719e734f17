#include "device/stream.h"

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/tensor_error.h"
#include "device/copy.h"
#include "device/fake_gpus.h"

namespace lectern::cuda {
namespace {

class Streams : public test::FakeGpus {
 protected:
  void run(const Stream& stream) { driver_->run(stream.device(), stream.handle()); }
};

TEST_F(Streams, TheDefaultOneIsCurrentAtFirst) {
  EXPECT_EQ(current_stream(), default_stream());
  EXPECT_EQ(current_stream(1), default_stream(1));
  EXPECT_NE(default_stream(0), default_stream(1));
  EXPECT_THROW(current_stream(2), TensorError);
  EXPECT_THROW(Stream(2), TensorError);
}

TEST_F(Streams, AGuardChangesStreamAndDevice) {
  const Stream side(1);
  {
    const StreamGuard guard(side);
    EXPECT_EQ(current_device(), 1);
    EXPECT_EQ(current_stream(), side);
    EXPECT_EQ(current_stream(0), default_stream(0));
    const StreamGuard inner(Stream(0));
    EXPECT_EQ(current_device(), 0);
    EXPECT_EQ(current_stream(1), side);
  }
  EXPECT_EQ(current_device(), 0);
  EXPECT_EQ(current_stream(0), default_stream(0));
  EXPECT_EQ(current_stream(1), default_stream(1));
}

TEST_F(Streams, AThreadHasItsOwnCurrentOne) {
  const StreamGuard guard(Stream(1));
  std::thread([] {
    EXPECT_EQ(current_device(), 0);
    EXPECT_EQ(current_stream(1), default_stream(1));
  }).join();
}

TEST_F(Streams, ThirtyTwoAreSharedRoundRobin) {
  const Stream first;
  std::set<StreamHandle> handles{first.handle()};
  for (int i = 1; i < 32; ++i) handles.insert(Stream().handle());
  EXPECT_EQ(handles.size(), 32U);
  EXPECT_FALSE(handles.contains(nullptr));
  EXPECT_EQ(Stream(), first);
  EXPECT_FALSE(handles.contains(Stream(0, -1).handle()));
}

TEST_F(Streams, SomeAreNotShared) {
  std::set<StreamHandle> others;
  for (const int priority : {0, -1}) {
    for (int i = 0; i < 32; ++i) others.insert(Stream(0, priority).handle());
  }
  std::vector<std::unique_ptr<OwnStream>> owned;
  std::set<StreamHandle> handles;
  for (int i = 0; i < 40; ++i) {
    owned.push_back(std::make_unique<OwnStream>(0, -1));
    handles.insert(owned.back()->get().handle());
    EXPECT_FALSE(others.contains(owned.back()->get().handle()));
  }
  EXPECT_EQ(handles.size(), 40U);
  owned.clear();
  EXPECT_TRUE(handles.contains(OwnStream(0, -1).get().handle()));
  EXPECT_FALSE(handles.contains(OwnStream(0).get().handle()));
  EXPECT_FALSE(handles.contains(OwnStream(1, -1).get().handle()));
}

TEST_F(Streams, WorkIsInOrderWithinOneAndWaitsForAnother) {
  const Stream one;
  const Stream two;
  char a[] = "first";
  char b[] = ".....";
  char c[] = ".....";
  const Event copied = copy_async(b, a, 5, one);
  two.wait_stream(one);
  const Event copied_again = copy_async(c, b, 5, two);
  run(two);
  EXPECT_STREQ(c, ".....");
  EXPECT_FALSE(two.query());
  run(one);
  run(two);
  EXPECT_STREQ(c, "first");
  EXPECT_TRUE(copied.query());
  EXPECT_TRUE(copied_again.query());
  EXPECT_TRUE(one.query());
}

TEST_F(Streams, SynchronizingDoesTheWork) {
  char a[] = "first";
  char b[] = ".....";
  const Event copied = copy_async(b, a, 5);
  default_stream().synchronize();
  EXPECT_STREQ(b, "first");
  std::strcpy(a, "again");
  copy(b, a, 5);
  EXPECT_STREQ(b, "again");
}

using Events = Streams;

TEST_F(Events, OneThatWasNeverRecordedIsReached) {
  const Event event;
  EXPECT_TRUE(event.query());
  event.synchronize();
  event.wait();
  EXPECT_EQ(driver_->living_events(), 0U);
}

TEST_F(Events, MarksWhatWasGivenWhenItWasRecorded) {
  Event event;
  event.record();
  EXPECT_FALSE(event.query());
  event.synchronize();
  EXPECT_TRUE(event.query());
  event.record();
  EXPECT_FALSE(event.query());
  run(default_stream());
  EXPECT_TRUE(event.query());
}

TEST_F(Events, TellTheTimeBetweenThem) {
  Event start(true);
  Event end(true);
  start.record();
  end.record();
  EXPECT_THROW(start.elapsed_time(end), TensorError);  // not reached
  end.synchronize();
  EXPECT_EQ(start.elapsed_time(end), 1.0);
  EXPECT_EQ(end.elapsed_time(start), -1.0);
  EXPECT_THROW(start.elapsed_time(Event(true)), TensorError);  // not recorded
  Event untimed;
  untimed.record();
  untimed.synchronize();
  EXPECT_THROW(start.elapsed_time(untimed), TensorError);
}

TEST_F(Events, BelongToTheDeviceOfTheFirstRecord) {
  Event event;
  event.record(default_stream(1));
  EXPECT_EQ(current_device(), 0);
  EXPECT_THROW(event.record(default_stream(0)), TensorError);
  event.wait(default_stream(0));  // of another device
  EXPECT_FALSE(default_stream(0).query());
  run(default_stream(1));
  run(default_stream(0));
  EXPECT_TRUE(default_stream(0).query());
}

TEST_F(Events, AreDestroyedOnceThoughMoved) {
  {
    Event a;
    a.record();
    Event b = std::move(a);
    Event c;
    c.record();
    c = std::move(b);
    EXPECT_FALSE(c.query());
  }
  EXPECT_EQ(driver_->living_events(), 0U);
}

}  // namespace
}  // namespace lectern::cuda
