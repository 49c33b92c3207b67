// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.Trail;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReplayTest {

    private final PoisonNode node = new PoisonNode(timeline -> new MemoryMessageStore(timeline, PoisonNode.RETENTION));

    @Test
    void movesWhatMatchesAndRepeatsNoCompletedStep() {
        List<String> charges = new ArrayList<>();
        boolean[] works = {false};
        node.handler = (payload, context) -> {
            context.once("charge", () -> charges.add(context.messageId()));
            if (!works[0]) {
                throw new IllegalStateException("no courier");
            }
        };
        node.order("o-1");
        works[0] = true;

        PoisonOperation.Progress progress = node.replay(PoisonNode.everything());

        assertThat(progress.state()).isEqualTo(PoisonOperation.RunState.ENDED);
        assertThat(progress.moved()).isEqualTo(1);
        assertThat(charges).containsExactly("o-1");
        assertThat(node.handled).containsExactly("o-1", "o-1");
        assertThat(node.copies()).isEmpty();
    }

    /** Handled messages are forgotten meanwhile, poisoned ones are not; and their age does not matter while they are known. */
    @Test
    void aMonthLaterNoCompletedStepIsRepeatedEither() {
        List<String> charges = new ArrayList<>();
        boolean[] works = {true};
        node.handler = (payload, context) -> {
            context.once("charge", () -> charges.add(context.messageId()));
            if (!works[0]) {
                throw new IllegalStateException("no courier");
            }
        };
        node.order("o-1");
        works[0] = false;
        node.order("o-2");
        node.timeline.advance(Duration.ofDays(30));
        assertThat(Objects.requireNonNull(node.store).removeExpired(10)).isEqualTo(1);
        works[0] = true;

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.RUN);
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);

        assertThat(charges).containsExactly("o-1", "o-2");
        assertThat(node.handled).containsExactly("o-1", "o-2", "o-2");
        assertThat(node.copies()).isEmpty();
    }

    /** What it was replayed with is as old as the replay, so that it grows too old with the record that knows its steps. */
    @Test
    void onceItsRecordHasExpiredAReplayedCopyIsTooOldAgain() {
        List<String> charges = new ArrayList<>();
        node.handler = (payload, context) -> {
            context.once("charge", () -> charges.add(context.messageId()));
            throw new IllegalStateException("no courier");
        };
        node.order("o-1");
        node.timeline.advance(Duration.ofDays(30));
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);
        assertThat(node.handled).containsExactly("o-1", "o-1");
        assertThat(charges).containsExactly("o-1");

        node.timeline.advance(Duration.ofDays(91));
        assertThat(Objects.requireNonNull(node.store).removeExpired(10)).isEqualTo(1);

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.TOO_OLD);
        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();
        assertThat(charges).containsExactly("o-1");

        assertThat(node.replay(PoisonNode.everything().withForce()).moved()).isEqualTo(1);
        assertThat(charges).containsExactly("o-1", "o-1");
        node.timeline.advance(Duration.ofDays(91));
        assertThat(Objects.requireNonNull(node.store).removeExpired(10)).isEqualTo(1);
        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.TOO_OLD);
    }

    /** By the second, and nothing else says how old it is. */
    @Test
    void whatHasOnlyATimestampIsAsOldAsItsReplayToo() {
        node.handler = (payload, context) -> {
            throw new IllegalStateException("no courier");
        };
        long sent = node.timeline.now().getEpochSecond();
        node.send(
                Wires.orderPlaced().withoutHeaders().with("timestamp", sent).wire(),
                new Route.ToQueue(PoisonNode.QUEUE));
        node.timeline.advance(Duration.ofDays(30));

        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);

        assertThat(node.copies()).singleElement().satisfies(copy -> {
            assertThat(copy.timestamp()).isEqualTo(sent);
            assertThat(copy.headers())
                    .containsEntry(Headers.SENT_AT, node.timeline.now().toEpochMilli())
                    .containsEntry(Headers.MADE_AT, sent * 1000)
                    .containsEntry(Headers.POISON_REASON, "handler-failed");
        });
    }

    @Test
    void tellsOfEachMessageThatItMoved() {
        node.poisonOrders(2);
        node.events.clear();

        node.replay(PoisonNode.everything().asDryRun());
        assertThat(node.events).isEmpty();
        node.replay(PoisonNode.everything());

        PoisonOperation replay = node.poison().operations().get(0);
        assertThat(node.events)
                .containsExactly(moved(replay, "o-0", node.timeline.now()), moved(replay, "o-1", node.timeline.now()));
    }

    private static SafeBunnyEvent moved(PoisonOperation replay, String id, Instant at) {
        return new SafeBunnyEvent.MessageMoved(
                "billing",
                replay.id(),
                "REPLAY",
                "tester",
                PoisonNode.QUEUE,
                "OrderPlaced",
                id,
                Wires.CORRELATION_ID,
                at);
    }

    @Test
    void aDryRunMovesNothing() {
        node.poisonOrders(3);
        List<WireMessage> before = node.copies();

        PoisonOperation.Progress progress = node.replay(PoisonNode.everything().asDryRun());

        assertThat(progress.moved()).isEqualTo(3);
        assertThat(progress.verdicts()).containsExactly(Map.entry(Verdict.RUN, 3));
        assertThat(node.handled).isEmpty();
        assertThat(node.copies()).isEqualTo(before);
    }

    @Test
    void movesASecondCopyOfAMessageNotAgain() {
        node.poisonOrders(1);
        node.setAside(node.copies().get(0));

        PoisonOperation.Progress progress = node.replay(PoisonNode.everything());

        assertThat(progress.moved()).isEqualTo(1);
        assertThat(node.handled).containsExactly("o-0");
        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.DONE);
    }

    @Test
    void doesNotChaseWhatComesBack() {
        node.poisonOrders(2);
        node.handler = (payload, context) -> {
            throw new IllegalStateException("still no gateway");
        };

        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(2);

        assertThat(node.handled).containsExactly("o-0", "o-1");
        assertThat(node.copies()).hasSize(2);
    }

    @Test
    void anOlderCopyIsSuperseded() {
        node.poisonOrders(1);
        WireMessage older = node.copies().get(0);
        node.handler = (payload, context) -> {
            throw new IllegalStateException("still no gateway");
        };
        node.replay(PoisonNode.everything());
        node.setAside(older);

        assertThat(node.list()).extracting(PoisonedMessage::verdict).containsExactly(Verdict.RUN, Verdict.SUPERSEDED);
    }

    @Test
    void keepsToTheRate() {
        node.poisonOrders(11);
        Duration before = node.timeline.elapsed();

        node.replay(PoisonNode.everything().atRate(5));

        assertThat(node.handled).hasSize(11);
        assertThat(node.timeline.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void theSlowestRateIsNotTheFastest() {
        node.poisonOrders(2);
        PoisonOperation replay = node.poison().replay(PoisonNode.everything().atRate(Double.MIN_VALUE));
        node.timeline.schedule(Duration.ofHours(23), replay::cancel);
        node.settle();

        assertThat(replay.progress().moved()).isEqualTo(1);
    }

    @Test
    void isNoFasterAfterItWasHeldUp() {
        boolean[] slow = {false};
        PoisonNode node = new PoisonNode(
                timeline -> new ForwardingMessageStore(new MemoryMessageStore(timeline, PoisonNode.RETENTION)) {
                    @Override
                    public @Nullable MessageRecord find(RecordKey key) {
                        if (slow[0]) {
                            timeline.advance(Duration.ofSeconds(10));
                        }
                        slow[0] = false;
                        return super.find(key);
                    }
                });
        node.handler = (payload, context) -> {
            throw new IllegalStateException("no gateway");
        };
        for (int i = 0; i < 11; i++) {
            node.order("o-" + i);
        }
        Duration before = node.timeline.elapsed();
        slow[0] = true;

        assertThat(node.replay(PoisonNode.everything().atRate(5)).moved()).isEqualTo(11);

        assertThat(node.timeline.elapsed().minus(before)).isGreaterThan(Duration.ofMillis(11_800));
    }

    @Test
    void endsBeforeTheNextCopyWhenItIsCancelled() {
        node.poisonOrders(2);
        PoisonOperation replay = node.poison().replay(PoisonNode.everything());
        replay.cancel();
        node.settle();

        assertThat(replay.progress().state()).isEqualTo(PoisonOperation.RunState.CANCELLED);
        assertThat(replay.progress().moved()).isZero();
        assertThat(node.copies()).hasSize(2);
    }

    @Test
    void refusesASecondReplayBesideTheFirst() {
        node.poisonOrders(1);
        PoisonOperation first = node.poison().replay(PoisonNode.everything());

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> node.poison().replay(PoisonNode.everything()))
                .withMessageContainingAll("SB-5016", first.id());
        node.settle();
        assertThat(node.replay(PoisonNode.everything()).state()).isEqualTo(PoisonOperation.RunState.ENDED);
    }

    @Test
    void refusesWhatItMustNotMove() {
        Wires copy = Wires.orderPlaced()
                .withHeader(Headers.POISON_REASON, "handler-failed")
                .withHeader(Headers.POISONED_AT, node.timeline.now().toEpochMilli());
        node.setAside(
                copy.withHeader(Headers.POISON_QUEUE, "shipping-OrderPlaced").wire());
        node.setAside(
                copy.withHeader(Headers.POISON_QUEUE, "billing-NobodyTakesIt").wire());
        node.setAside(Wires.orderPlaced().wire());

        PoisonOperation.Progress progress = node.replay(PoisonNode.everything().withForce());

        assertThat(progress.moved()).isZero();
        assertThat(progress.refusals())
                .extracting(PoisonedMessage::verdict)
                .containsOnly(Verdict.REFUSED)
                .hasSize(3);
        assertThat(node.copies()).hasSize(3);
    }

    @Test
    void asksTheBrokerForNothingThatASenderWrote() {
        Map<String, Object> hostile =
                new LinkedHashMap<>(Wires.orderPlaced().wire().headers());
        hostile.put("CC", List.of("shipping-OrderPlaced"));
        hostile.put("x-delay", 1_000);
        hostile.put("sb-delay", 4);

        assertThat(PoisonReader.replayed(Wires.orderPlaced().wire().withHeaders(hostile))
                        .headers())
                .containsKey(Headers.SENT_AT)
                .doesNotContainKeys("CC", "x-delay", "sb-delay");
    }

    @Test
    void showsNoBodies() {
        node.poisonOrders(1);

        assertThat(node.poison().list(PoisonFilter.all()).toString()).doesNotContain("total");
    }

    @Test
    void findsTheCopiesOfOneMessageWithTheirBodiesAndWhatIsStored() {
        node.handler = (payload, context) -> {
            context.once("charge", String.class, () -> "receipt");
            throw new IllegalStateException("no courier");
        };
        node.order("o-1");
        node.order("o-2");
        node.setAside(node.copies().get(0));

        List<PoisonCopy> copies = node.poison().find("o-1");

        assertThat(copies).hasSize(2).allSatisfy(copy -> {
            assertThat(copy.message().messageId()).isEqualTo("o-1");
            assertThat(copy.body()).isEqualTo(Wires.orderPlaced().wire().body());
            PoisonCopy.Stored stored = Objects.requireNonNull(copy.record());
            assertThat(stored.state()).isEqualTo("POISONED");
            assertThat(stored.steps()).containsExactly("charge");
            assertThat(stored.failures()).singleElement().satisfies(failure -> {
                assertThat(failure.exception()).isEqualTo("java.lang.IllegalStateException");
                assertThat(failure.text()).isEqualTo("no courier");
                assertThat(failure.nextAt()).isNull();
            });
            assertThat(copy.toString()).doesNotContain("total");
        });
        assertThat(node.poison().find("o-3")).isEmpty();
        assertThat(node.copies()).hasSize(3);
    }

    @Test
    void showsNoTextOfAFailureWhereNoneMayBeShown() {
        node.handler = (payload, context) -> {
            throw new IllegalStateException("card 4111");
        };
        node.order("o-1");

        assertThat(node.atAnotherInstance(ExceptionDetails.TYPE_ONLY).find("o-1"))
                .singleElement()
                .satisfies(
                        copy -> assertThat(Objects.requireNonNull(copy.record()).failures())
                                .singleElement()
                                .satisfies(failure -> {
                                    assertThat(failure.exception()).isEqualTo("java.lang.IllegalStateException");
                                    assertThat(failure.text()).isNull();
                                }));
    }

    /** What it tells is carried along among the steps, and is none of them. */
    @Test
    void showsNothingOfATrailThatAnotherVersionWrote() {
        node.handler = (payload, context) -> {
            context.once("charge", String.class, () -> "receipt");
            throw new IllegalStateException("no courier");
        };
        node.order("o-1");
        MessageStore store = Objects.requireNonNull(node.store);
        MessageRecord stored = Objects.requireNonNull(store.find(new RecordKey(Wires.CORRELATION_ID, "o-1")));
        Map<String, String> another = new LinkedHashMap<>(stored.steps());
        another.put("", "{\"v\":2}");
        assertThat(store.replace(
                        stored.next(stored.state()).withTrail(Trail.NONE).withSteps(another)))
                .isNotNull();

        assertThat(node.poison().find("o-1")).singleElement().satisfies(copy -> {
            PoisonCopy.Stored shown = Objects.requireNonNull(copy.record());
            assertThat(shown.steps()).containsExactly("charge");
            assertThat(shown.failures()).isEmpty();
        });
    }

    @Test
    void findsCopiesWithoutBodiesOrWithAsManyAsThereIsRoomFor() {
        node.poisonOrders(1);
        node.setAside(node.copies().get(0));
        int bytes = Wires.orderPlaced().wire().body().length;

        assertThat(node.poison().find("o-0", 0))
                .hasSize(2)
                .allSatisfy(copy -> assertThat(copy.body()).isNull())
                .allSatisfy(copy -> assertThat(copy.record()).isNotNull());
        assertThat(node.poison().find("o-0", bytes).stream()
                        .map(PoisonCopy::body)
                        .filter(Objects::nonNull))
                .hasSize(1);
        assertThat(node.poison().find("o-0", 2L * bytes).stream()
                        .map(PoisonCopy::body)
                        .filter(Objects::nonNull))
                .hasSize(2);
    }

    @Test
    void remembersTheLastHundredOperations() {
        for (int i = 0; i < 101; i++) {
            node.replay(PoisonRequest.of(PoisonFilter.all(), "tester", "reason " + i));
        }

        assertThat(node.poison().operations())
                .hasSize(100)
                .extracting(operation -> operation.request().reason())
                .startsWith("reason 100", "reason 99")
                .endsWith("reason 1");
    }

    @Test
    void refusesRequestsWithoutAReasonOrWithANegativeRate() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> PoisonRequest.of(PoisonFilter.all(), "tester", " "))
                .withMessageContainingAll("SB-5014", "reason");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> PoisonNode.everything().atRate(-1))
                .withMessageContainingAll("SB-5014", "perSecond=-1.0");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> PoisonFilter.all().withLimit(0))
                .withMessageContainingAll("SB-5001", "limit=0");
    }
}
