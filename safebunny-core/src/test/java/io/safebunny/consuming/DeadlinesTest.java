// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static io.safebunny.consuming.Expiring.OFFER;
import static io.safebunny.consuming.Expiring.PRICE;
import static io.safebunny.consuming.Expiring.QUOTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.Published;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.ThrottledException;
import io.safebunny.consuming.Expiring.Told;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.UnreliableStore;
import io.safebunny.handler.Grouping;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.transport.OutboundMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of messages whose deadline passes: once each, whatever the store, and told. */
class DeadlinesTest {

    private static final RecoveryPolicy ONCE = RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none());

    /** The second comes 20 s later, in time; the third would come too late. */
    private static final RecoveryPolicy THREE_ATTEMPTS = RecoveryPolicy.of(
            RetryStrategy.none(), RetryStrategy.after(Duration.ofSeconds(20), Duration.ofSeconds(20)));

    private static final String EXPIRED = "io.safebunny.failure.MessageExpiredException";

    private static MessageStore memory() {
        return new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION);
    }

    /** Claims by leases, and by the handler's transaction. */
    static Stream<Named<Supplier<MessageStore>>> stores() {
        return Stream.of(Named.of("leases", DeadlinesTest::memory), Named.of("transactions", SharingStore::new));
    }

    static Stream<Arguments> typesAndStores() {
        return stores().flatMap(store -> Stream.of(QUOTE, PRICE, OFFER).map(type -> Arguments.of(type, store)));
    }

    private static Expiring late(@Nullable MessageStore store, RecoveryPolicy policy) {
        Expiring node = new Expiring(store, policy);
        node.passDeadline();
        return node;
    }

    private static void fail(Object payload, MessageContext context) throws Exception {
        throw new IOException("attempt " + context.attempt());
    }

    private static List<String> failuresOf(Expiring node) {
        return node.stored().trail().failures().stream()
                .map(Trail.Failure::exception)
                .toList();
    }

    private static String reasonOf(OutboundMessage copy) {
        return String.valueOf(copy.message().headers().get("sb-poison-reason"));
    }

    // ---- one fate for each

    @ParameterizedTest
    @MethodSource("stores")
    void isSetAsideAndHandledNeitherNowNorAsADuplicate(Supplier<MessageStore> store) {
        Expiring node = late(store.get(), ONCE);

        RecordedDelivery delivery = node.deliver(QUOTE);

        assertThat(node.runs).isEmpty();
        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.poisoned()).singleElement().satisfies(copy -> {
            assertThat(reasonOf(copy)).isEqualTo("expired");
            assertThat(copy.message().headers())
                    .containsEntry("x-exception-type", EXPIRED)
                    .containsEntry("sb-poison-version", node.stored().version())
                    .containsEntry("sb-deadline", Expiring.DEADLINE.toEpochMilli());
        });
        assertThat(node.transport.notices()).singleElement().satisfies(notice -> assertThat(reasonOf(notice))
                .isEqualTo("expired"));
        assertThat(node.stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(failuresOf(node)).containsExactly(EXPIRED);
        node.deliver(QUOTE);
        assertThat(node.runs).isEmpty();
        assertThat(node.transport.poisoned())
                .extracting(DeadlinesTest::reasonOf)
                .containsExactly("expired", "set-aside-before");
    }

    @ParameterizedTest
    @MethodSource("stores")
    void isDroppedAndToldAndNotHandledAsADuplicate(Supplier<MessageStore> store) {
        Expiring node = late(store.get(), ONCE);

        RecordedDelivery delivery = node.deliver(PRICE);

        assertThat(node.runs).isEmpty();
        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.confirmed()).isEmpty();
        assertThat(node.transport.notices()).singleElement().satisfies(notice -> assertThat(reasonOf(notice))
                .isEqualTo("expired"));
        assertThat(node.expired(PRICE, "dropped")).isEqualTo(1);
        assertThat(node.events)
                .filteredOn(MessageGivenUp.class::isInstance)
                .extracting("reason")
                .containsExactly("expired");
        assertThat(node.stored().state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED); // its mark is lazy
        assertThat(node.stored().trail().failures())
                .extracting(Trail.Failure::exception, Trail.Failure::nextAt)
                .containsExactly(tuple(EXPIRED, null));
        RecordedDelivery again = node.deliver(PRICE);
        assertThat(again.acknowledged()).isEqualTo(1);
        assertThat(node.runs).isEmpty();
        assertThat(node.expired(PRICE, "dropped")).isEqualTo(1);
        assertThat(node.transport.notices()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void isToldToTheMethodForItWhichMayPublish(Supplier<MessageStore> store) {
        Expiring node = late(store.get(), ONCE);
        node.onExpired = (payload, context) -> {
            assertThat(context.deadline()).isEqualTo(Expiring.DEADLINE);
            Published unused = node.bunny().publish(new Told("o-1"));
        };

        RecordedDelivery delivery = node.deliver(OFFER);

        assertThat(node.runs).containsExactly("expired");
        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.published()).hasSize(1);
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.expired(OFFER, "told")).isEqualTo(1);
        assertThat(failuresOf(node)).containsExactly(EXPIRED);
        node.deliver(OFFER);
        assertThat(node.runs).containsExactly("expired");
        assertThat(node.transport.published()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("typesAndStores")
    void handledInTimeItsDuplicateIsADuplicateAtAnyTime(String type, Supplier<MessageStore> store) {
        Expiring node = new Expiring(store.get(), ONCE);
        node.deliver(type);
        node.passDeadline();

        RecordedDelivery duplicate = node.deliver(type);

        assertThat(node.runs).containsExactly("handled");
        assertThat(duplicate.acknowledged()).isEqualTo(1);
        assertThat(node.transport.confirmed()).isEmpty();
        assertThat(node.expired(type, "dropped") + node.expired(type, "told")).isZero();
    }

    @ParameterizedTest
    @MethodSource("typesAndStores")
    void anAttemptThatHasBegunInTimeMayFinish(String type, Supplier<MessageStore> store) {
        Expiring node = new Expiring(store.get(), ONCE);
        node.handler = (payload, context) -> node.passDeadline();

        node.deliver(type);

        assertThat(node.runs).containsExactly("handled");
        assertThat(node.stored().state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(node.stored().trail().failures()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {QUOTE, PRICE, OFFER})
    void withoutAStoreTheSameBecomesOfIt(String type) {
        Expiring node = late(null, ONCE);

        RecordedDelivery delivery = node.deliver(type);

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.runs).isEqualTo(type.equals(OFFER) ? List.of("expired") : List.of());
        assertThat(node.transport.poisoned()).hasSize(type.equals(QUOTE) ? 1 : 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {QUOTE, PRICE, OFFER})
    void noMiddlewareSeesWhatIsNotHandled(String type) {
        Expiring node = late(memory(), ONCE);

        node.deliver(type);

        assertThat(node.around).isEqualTo(type.equals(OFFER) ? List.of(OFFER) : List.of());
    }

    /** Its claim waits for another's transaction, or for a turn. */
    @ParameterizedTest
    @ValueSource(strings = {QUOTE, PRICE, OFFER})
    void expiresWhileItIsClaimed(String type) {
        Runnable[] claiming = {() -> {}};
        Expiring node = new Expiring(
                new ForwardingMessageStore(memory()) {
                    @Override
                    public MessageRecord create(MessageRecord record) {
                        claiming[0].run();
                        return super.create(record);
                    }
                },
                ONCE);
        claiming[0] = node::passDeadline;

        node.deliver(type);

        assertThat(node.runs).isEqualTo(type.equals(OFFER) ? List.of("expired") : List.of());
        assertThat(failuresOf(node)).containsExactly(EXPIRED);
    }

    @Test
    void comesBackWhenTheStoreCannotSayThatItWasDropped() {
        UnreliableStore store = new UnreliableStore(memory());
        Expiring node = late(store, ONCE);
        store.down(true);

        RecordedDelivery delivery = node.deliver(PRICE);

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.expired(PRICE, "dropped")).isZero();
        store.down(false);
        node.breakers.close();
        node.deliverReturned();
        assertThat(node.expired(PRICE, "dropped")).isEqualTo(1);
        assertThat(node.runs).isEmpty();
    }

    // ---- attempts

    @ParameterizedTest
    @MethodSource("stores")
    void isSetAsideWhenItsNextDelayWouldPassTheDeadline(Supplier<MessageStore> store) {
        Expiring node = new Expiring(store.get(), THREE_ATTEMPTS);
        node.handler = DeadlinesTest::fail;
        node.deliver(QUOTE);

        RecordedDelivery second = node.deliverReturned();

        assertThat(node.runs).containsExactly("handled", "handled");
        assertThat(second.acknowledged()).isEqualTo(1);
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.transport.poisoned()).singleElement().satisfies(copy -> {
            assertThat(reasonOf(copy)).isEqualTo("expired");
            assertThat(copy.message().headers().get("x-exception-stacktrace"))
                    .asString()
                    .contains("IOException: attempt 1");
        });
        assertThat(failuresOf(node)).containsExactly(IOException.class.getName(), IOException.class.getName(), EXPIRED);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void isDroppedWhenItsNextDelayWouldPassTheDeadline(Supplier<MessageStore> store) {
        Expiring node = new Expiring(store.get(), THREE_ATTEMPTS);
        node.handler = (payload, context) -> {
            Published unused = node.bunny().publish(new Told("o-1"));
            fail(payload, context);
        };
        node.deliver(PRICE);

        RecordedDelivery second = node.deliverReturned();

        assertThat(node.runs).containsExactly("handled", "handled");
        assertThat(second.acknowledged()).isEqualTo(1);
        assertThat(node.transport.published()).isEmpty();
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.expired(PRICE, "dropped")).isEqualTo(1);
        assertThat(failuresOf(node)).containsExactly(IOException.class.getName(), IOException.class.getName(), EXPIRED);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void isToldAtOnceWhenItsNextDelayWouldPassTheDeadline(Supplier<MessageStore> store) {
        Expiring node = new Expiring(store.get(), THREE_ATTEMPTS);
        node.handler = (payload, context) -> {
            Published unused = node.bunny().publish(new Told("from the handler"));
            fail(payload, context);
        };
        node.onExpired = (payload, context) -> {
            Published unused = node.bunny().publish(new Told("expired"));
        };
        node.deliver(OFFER);

        RecordedDelivery second = node.deliverReturned();

        assertThat(node.runs).containsExactly("handled", "handled", "expired");
        assertThat(second.acknowledged()).isEqualTo(1);
        assertThat(node.transport.published())
                .singleElement()
                .satisfies(publication ->
                        assertThat(publication.message().body()).asString().contains("expired"));
        assertThat(node.expired(OFFER, "told")).isEqualTo(1);
        node.deliver(OFFER);
        assertThat(node.runs).hasSize(3);
    }

    @ParameterizedTest
    @MethodSource("typesAndStores")
    void isNotRetriedInMemoryWhenThatWouldComeTooLate(String type, Supplier<MessageStore> store) {
        Expiring node = new Expiring(
                store.get(),
                RecoveryPolicy.of(RetryStrategy.of(5, Duration.ofSeconds(12)), RetryStrategy.after(Duration.ZERO)));
        node.handler = DeadlinesTest::fail;

        node.deliver(type);

        assertThat(node.runs.stream().filter("handled"::equals)).hasSize(3);
        assertThat(node.runs.contains("expired")).isEqualTo(type.equals(OFFER));
        assertThat(node.timeline.elapsed()).isEqualTo(Duration.ofSeconds(24));
        assertThat(node.transport.returned()).isEmpty();
        assertThat(failuresOf(node)).endsWith(EXPIRED);
    }

    /** Every attempt has failed, so the deadline is not why. */
    @Test
    void isSetAsideForItsFailureWhenNoAttemptIsLeft() {
        Expiring node = new Expiring(memory(), ONCE);
        node.handler = (payload, context) -> {
            node.passDeadline();
            fail(payload, context);
        };

        node.deliver(PRICE);

        assertThat(node.transport.poisoned())
                .extracting(DeadlinesTest::reasonOf)
                .containsExactly("handler-failed");
        assertThat(node.expired(PRICE, "dropped")).isZero();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void theMethodHasTheAttemptsThatAreLeft(Supplier<MessageStore> store) {
        Expiring node = late(store.get(), THREE_ATTEMPTS);
        node.onExpired = DeadlinesTest::fail;
        node.deliver(OFFER);
        node.deliverReturned();
        node.deliverReturned();

        assertThat(node.runs).containsExactly("expired", "expired", "expired");
        assertThat(node.transport.returned()).hasSize(2);
        assertThat(node.transport.poisoned())
                .extracting(DeadlinesTest::reasonOf)
                .containsExactly("retries-exhausted");
        assertThat(node.expired(OFFER, "told")).isZero();
    }

    @Test
    void theMethodGetsTheResultsOfSteps() {
        Expiring node = new Expiring(memory(), THREE_ATTEMPTS);
        node.handler = (payload, context) -> {
            String unused = context.once("charge", String.class, () -> "charged");
            fail(payload, context);
        };
        node.onExpired = (payload, context) -> assertThat(context.once("charge", String.class, () -> "not charged"))
                .isEqualTo("charged");
        node.deliver(OFFER);

        node.deliverReturned();

        assertThat(node.runs).containsExactly("handled", "handled", "expired");
        assertThat(node.expired(OFFER, "told")).isEqualTo(1);
    }

    // ---- its type

    @ParameterizedTest
    @ValueSource(strings = {QUOTE, PRICE, OFFER})
    void waitsForTheEndOfAPauseAndIsNoProbe(String type) {
        Expiring node = new Expiring(memory(), ONCE);
        node.breakers.open(Duration.ofMinutes(1));
        node.deliver(type);
        assertThat(node.expired(type, "dropped") + node.expired(type, "told")).isZero();
        assertThat(node.transport.poisoned()).isEmpty();
        node.timeline.advance(Duration.ofMinutes(1));
        node.deliverReturned();

        for (int more = 0; more < 10; more++) {
            node.deliver(Expiring.message(type).with("message_id", "m-" + more).wire());
        }

        assertThat(node.runs).doesNotContain("handled");
        assertThat(node.transport.poisoned().size() + node.expired(type, "dropped") + node.expired(type, "told"))
                .isEqualTo(11);
        assertThat(node.breakers.state(typeOf(type))).isEqualTo(State.HALF_OPEN);
    }

    private static Class<?> typeOf(String type) {
        return switch (type) {
            case QUOTE -> Expiring.Quote.class;
            case PRICE -> Expiring.Price.class;
            default -> Expiring.Offer.class;
        };
    }

    @Test
    void comesBackAfterAThrottledHandlerAndExpiresThen() {
        Expiring node = new Expiring(memory(), ONCE);
        node.handler = (payload, context) -> {
            throw new ThrottledException(Duration.ofSeconds(40));
        };
        node.deliver(QUOTE);
        assertThat(node.transport.poisoned()).isEmpty();

        node.deliverReturned();

        assertThat(node.runs).containsExactly("handled");
        assertThat(node.transport.poisoned())
                .extracting(DeadlinesTest::reasonOf)
                .containsExactly("expired");
    }

    @Test
    void leavesThoseThatAreHandledTogether() {
        Expiring node = new Expiring(new SharingStore(), ONCE, Grouping.inTransaction(8));
        assertLeavesGroups(node, List.of("handled", "handled"));
    }

    @Test
    void leavesItsBatch() {
        Expiring node = new Expiring(memory(), ONCE, Grouping.inBatch(8));
        assertLeavesGroups(node, List.of("batch of 2"));
    }

    @Test
    void leavesWhenAnotherTakesTooLong() {
        Expiring node = new Expiring(new SharingStore(), ONCE, Grouping.inTransaction(8));
        node.handler = (payload, context) -> node.passDeadline();

        node.transport.deliverTogether(Stream.of("a", "b", "c")
                .map(id -> Expiring.delivery(
                        Expiring.message(QUOTE).with("message_id", id).wire()))
                .toList());

        assertThat(node.runs).doesNotHaveDuplicates().containsExactly("handled");
        assertThat(node.transport.poisoned())
                .extracting(copy -> copy.message().messageId())
                .containsExactlyInAnyOrder("b", "c");
    }

    private static void assertLeavesGroups(Expiring node, List<String> runs) {
        node.passDeadline();
        List<RecordedDelivery> deliveries = Stream.of("a", "b", "c")
                .map(id -> Expiring.message(QUOTE).with("message_id", id))
                .map(message -> "b".equals(message.properties().get("message_id"))
                        ? message
                        : message.withHeader(
                                "sb-deadline", Expiring.DEADLINE.plusSeconds(1).toEpochMilli()))
                .map(message -> Expiring.delivery(message.wire()))
                .toList();

        node.transport.deliverTogether(deliveries);

        assertThat(node.runs).isEqualTo(runs);
        assertThat(node.transport.poisoned())
                .extracting(copy -> copy.message().messageId(), DeadlinesTest::reasonOf)
                .containsExactly(tuple("b", "expired"));
        assertThat(deliveries)
                .allSatisfy(delivery -> assertThat(delivery.acknowledged()).isEqualTo(1));
    }

    // ---- what never expires

    @Test
    void aReplayHasNoDeadlineNorHaveItsRetries() {
        Expiring node = late(memory(), THREE_ATTEMPTS);
        node.deliver(QUOTE);
        node.handler = DeadlinesTest::fail;

        node.deliver(node.transport.poisoned().get(0).message()); // by hand, with all its headers
        node.deliverReturned();
        node.handler = (payload, context) -> assertThat(context.deadline()).isNull();
        node.deliverReturned();

        assertThat(node.runs).containsExactly("handled", "handled", "handled");
        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(node.stored().state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void anUndoIsCarriedOutAtAnyTime() {
        Expiring node = late(memory(), ONCE);

        node.deliver(Expiring.message(PRICE).withHeader("sb-undoes", "m-0").wire());

        assertThat(node.runs).containsExactly("handled");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, 10_000_000_000_000_000L})
    void aDeadlineThatIsFarAwayIsNone(long millis) {
        Expiring node = late(memory(), THREE_ATTEMPTS);
        node.handler = DeadlinesTest::fail;

        node.deliver(Expiring.message(QUOTE).withHeader("sb-deadline", millis).wire());

        assertThat(node.runs).containsExactly("handled");
        assertThat(node.transport.returned()).hasSize(1);
    }

    static Stream<Object> unreadable() {
        return Stream.of("soon", 0L, -1L, 1.5, true, Map.of("a", 1), List.of(1L));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void anUnreadableOneIsRefused(Object deadline) {
        Expiring node = new Expiring(memory(), ONCE);

        node.deliver(Expiring.message(PRICE).withHeader("sb-deadline", deadline).wire());

        assertThat(node.runs).isEmpty();
        assertThat(node.transport.poisoned())
                .extracting(DeadlinesTest::reasonOf)
                .containsExactly("missing-property");
    }

    @Test
    void aCopyKeepsTheDeadlineAndNothingOnTheWireExpires() {
        Expiring node = new Expiring(memory(), THREE_ATTEMPTS);
        node.handler = DeadlinesTest::fail;

        node.deliver(QUOTE);

        WireMessage copy = node.transport.returned().get(0).message();
        assertThat(copy.headers()).containsEntry("sb-deadline", Expiring.DEADLINE.toEpochMilli());
    }

    /** What the handler of an expired message would have published is not sent, and a failure that is final stays one. */
    @Test
    void aFailureThatIsNotRetriedIsNoExpiry() {
        Expiring node = new Expiring(memory(), THREE_ATTEMPTS);
        node.handler = (payload, context) -> {
            node.passDeadline();
            throw new PoisonMessageException("no");
        };

        node.deliver(OFFER);

        assertThat(node.runs).containsExactly("handled");
        assertThat(node.transport.poisoned())
                .extracting(DeadlinesTest::reasonOf)
                .containsExactly("handler-failed");
    }

    /** The notice is one of the record's publications: what is not confirmed is sent by the next delivery, or the sweeper. */
    @Test
    void theNoticeOfADroppedMessageIsSentAgainUntilItIsConfirmed() {
        Expiring node = late(memory(), ONCE);
        node.transport.answerNotices(RecordingTransport.NACK);

        node.deliver(PRICE);

        assertThat(node.stored().state()).isEqualTo(RecordState.COMPLETED);
        assertThat(node.stored().outgoing()).hasSize(1);
    }
}
