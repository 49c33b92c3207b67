// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneRules;
import io.safebunny.order.lane.LaneSlot;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Command;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Why is order 42 not finished? Because another message of its key is, and that is named with what helps. */
class InOrderTest {

    record Moved(String to) {}

    private static final String KEY = "order-42";

    private final SagaWorld world = new SagaWorld();
    private final MessageStore store = new MemoryMessageStore(world.timeline, Duration.ofDays(7));
    private int failures;

    private void start() {
        start(null);
    }

    private void start(@Nullable Sharding sharding) {
        world.start("shop", List.of());
        startBilling(sharding);
    }

    private void startBilling(@Nullable Sharding sharding) {
        HandlerDefinition handler = SagaWorld.handler("shop", Moved.class, (payload, context) -> {
                    if (failures-- > 0) {
                        throw new IllegalStateException("no stock");
                    }
                })
                .ordered(Ordering.HOLD)
                .sharded(sharding);
        world.start("billing", store, List.of(handler));
    }

    /** @return their ids */
    private List<String> publish(int messages) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            ids.add(world.bunny("shop")
                    .publish(new Moved("here"), PublishOptions.none().withOrderKey(KEY))
                    .messageId());
            world.pass(Duration.ofSeconds(1));
        }
        return ids;
    }

    private Story story(String id) {
        return world.engine("billing").get(StoryTeller.class).of(id);
    }

    private String told(String id) {
        world.worksWhileAsking = true;
        return String.join(" ", story(id).sentences());
    }

    private String toldBy(String node, String id) {
        world.worksWhileAsking = true;
        return String.join(" ", world.engine(node).get(StoryTeller.class).of(id).sentences());
    }

    private List<Command> next(String id) {
        world.worksWhileAsking = true;
        return story(id).next();
    }

    @Test
    void aMessageThatWaitsNamesTheOneThatWasSetAsideAndItsPlaceBehindIt() {
        failures = 3;
        start();
        List<String> ids = publish(3);
        world.pass(Duration.ofSeconds(30));

        assertThat(told(ids.get(2)))
                .contains("billing has kept `Moved` (%s) in its store since 00:00:02Z.".formatted(ids.get(2)))
                .contains(
                        "It is number 2 of 2 messages of order key order-42 that wait for message %s. That was set aside at 00:00:20Z (IllegalStateException: \"no stock\"): nothing of this key goes on until somebody replays or discards it."
                                .formatted(ids.get(0)))
                .contains("billing has set `Moved` (%s) aside at 00:00:20Z, after 3 failed attempts"
                        .formatted(ids.get(0)));
    }

    @Test
    void theOneThatWasSetAsideSaysHowManyWaitForIt() {
        failures = 3;
        start();
        List<String> ids = publish(3);
        world.pass(Duration.ofSeconds(30));

        assertThat(told(ids.get(0)))
                .contains("2 messages of order key order-42 wait for it, until somebody replays or discards it.");
        assertThat(told(KEY)).contains("2 messages of order key order-42 wait for it, until");
    }

    @Test
    void whatHelpsIsAReplayOrADiscardOfTheOneThatOthersWaitFor() {
        failures = 3;
        start();
        List<String> ids = publish(2);
        world.pass(Duration.ofSeconds(30));

        assertThat(next(ids.get(1)))
                .filteredOn(command -> command.curl().contains("safebunnypoison/" + ids.get(0)))
                .extracting(Command::curl)
                .anyMatch(curl -> curl.contains("\"action\":\"replay\",\"dryRun\":\"true\""))
                .anyMatch(curl -> curl.contains("\"action\":\"discard\",\"dryRun\":\"true\""))
                .hasSize(3);
        assertThat(next(ids.get(1)))
                .extracting(Command::why)
                .anyMatch(why -> why.startsWith("only if those that wait for it can do without"));
        assertThat(next(ids.get(1))).as("nothing is done with what only waits").noneMatch(command -> command.curl()
                .contains("safebunnypoison/" + ids.get(1)));
    }

    @Test
    void anUntriedMessageSaysWhenTheOneBeforeItIsTriedAgain() {
        failures = 2;
        start();
        List<String> ids = publish(2);

        assertThat(told(ids.get(1)))
                .contains(
                        "It is the only message of order key order-42 that waits for message %s. That has not been handled yet (IllegalStateException: \"no stock\"), and goes on at 00:00:10Z."
                                .formatted(ids.get(0)));
        assertThat(told(ids.get(0)))
                .contains(
                        "The next attempt is due at 00:00:10Z.",
                        "One message of order key order-42 waits for it, and follows once it is handled.");
    }

    @Test
    void whatIsHandledOneAfterTheOtherSaysSo() {
        start();
        List<String> ids = publish(1);
        Lane lane = LaneRules.ends(
                LaneRules.parks(LaneRules.parks(
                        LaneRules.waits(Lane.UNUSED, ids.get(0), world.timeline.now(), world.timeline.now()))),
                ids.get(0),
                world.timeline.now().plusSeconds(30));
        RecordKey key = LaneDocument.key(KEY, "Moved");
        var unused = store.create(LaneSlot.filled(LaneSlot.key(key, 0), null, ids.get(0), "test"));
        var unusedLane = store.create(LaneDocument.write(key, null, lane, "test"));

        assertThat(told(ids.get(0)))
                .contains(
                        "It is number 1 of 2 messages of order key order-42 that are handled now, one after the other.");
    }

    @Test
    void saysNothingOfOrderOnceAllIsHandled() {
        failures = 1;
        start();
        List<String> ids = publish(2);
        world.pass(Duration.ofSeconds(30));

        assertThat(told(ids.get(1))).contains("has handled").doesNotContain("order key");
    }

    /** There are more records than a story has room for. */
    @Test
    void aFullKeyNamesTheFirstAndSaysThatItMayStopItsType() {
        failures = 3;
        start();
        List<String> ids = publish(2);
        world.pass(Duration.ofSeconds(30));
        fill(ids.get(1));

        assertThat(told(ids.get(0)))
                .contains("billing has set `Moved` (%s) aside".formatted(ids.get(0)))
                .contains("1000 messages of order key order-42 wait for it, until somebody replays or discards it.")
                .contains(
                        "No more of this key may wait there: the next one keeps its place in the queue, and may stop all keys of `Moved`.");
        assertThat(told(ids.get(1))).contains("It is number 1 of 1000 messages", "wait for message " + ids.get(0));
    }

    /** It is the first one of four. */
    @Test
    void aMessageInAShardThatNobodyListensToIsToldBeforeAnythingIsKnownOfIt() {
        start(Sharding.parse(4, "1-3"));
        publish(2);
        String trouble =
                "At billing, no instance listens to shard 0 of Moved, where 2 messages wait: those of order key order-42 would be among them.";

        assertThat(told(KEY)).containsOnlyOnce(trouble);
        assertThat(toldBy("shop", KEY)).containsOnlyOnce(trouble);
        assertThat(told("sugar")).as("a key of another shard").doesNotContain("shard");
    }

    @Test
    void saysNothingOfShardsThatAreListenedToOrEmptyOrPaused() {
        start(Sharding.into(4));
        publish(2);
        assertThat(told(KEY)).contains("has handled").doesNotContain("shard");

        world.stop("billing");
        startBilling(Sharding.parse(4, "1-3"));
        assertThat(told(KEY)).doesNotContain("shard");
        publish(1);
        assertThat(told(KEY)).contains("where 1 message waits");

        world.breakers("billing").open(Moved.class, Duration.ofHours(1));
        assertThat(told(KEY)).doesNotContain("shard");
    }

    @Test
    void aMessageThatWaitsForAnotherNumberOfShardsNamesThoseThatAreNotDrained() {
        start(Sharding.parse(4, "1-3"));
        publish(1);
        world.stop("billing");
        startBilling(Sharding.parse(2, "1"));
        publish(1);
        world.pass(Duration.ofSeconds(10));

        assertThat(told(KEY))
                .contains("At billing, Moved is to have 2 shards instead of 4 since ")
                .contains(
                        ": until shards [0] have handled what they had before, those of order key order-42 may wait in its queue.");
        assertThat(toldBy("shop", KEY)).contains("until shards [0] have handled");
    }

    /** As many as may wait, like this one. */
    private void fill(String like) {
        RecordKey key = LaneDocument.key(KEY, "Moved");
        MessageRecord stored = Objects.requireNonNull(store.find(key));
        MessageRecord parked = Objects.requireNonNull(store.find(new RecordKey(KEY, like)));
        Lane lane = LaneDocument.read(stored);
        while (!lane.isFull()) {
            String id = "more-" + lane.next();
            var unused = store.create(LaneSlot.filled(LaneSlot.key(key, lane.next()), null, id, "test"));
            var unusedRecord = store.create(
                    MessageRecord.claim(new RecordKey(KEY, id), "test", Duration.ZERO, 0, parked.fingerprint())
                            .next(RecordState.PARKED, parked.outgoing())
                            .withVersion(1));
            lane = LaneRules.parks(lane);
        }
        var unusedLane = store.replace(LaneDocument.write(key, stored, lane, "test"));
    }
}
