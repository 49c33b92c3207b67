// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Story;
import io.safebunny.story.telling.StoryTeller;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.test.encryption.MemorySubjectKeys;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What becomes of messages whose person was erased, from one node to another. */
class ErasedMessagesTest {

    private static final String POISON = "billing-poison";
    private static final PoisonRequest ALL = PoisonRequest.of(PoisonFilter.all(), "tester", "erased");
    private static final String SECRET = "4242424242424242";

    @Encrypted(key = "payments", subject = "customer")
    record Charge(String customer, String pan) {}

    @Encrypted(key = "payments")
    record Nobodys(String customer, String pan) {}

    @FunctionalInterface
    private interface Work {
        void on(Object payload, MessageContext context) throws Exception;
    }

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final MemoryKeys keys = MemoryKeys.of("payments", "subjects");
    private final MemorySubjectKeys place = new MemorySubjectKeys();
    private final WrittenStore store = new WrittenStore(new MemoryMessageStore(timeline, Duration.ofDays(7)));
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Map<String, Subjects> subjects = new LinkedHashMap<>();
    private final List<Object> handled = new ArrayList<>();
    private final List<Object> told = new ArrayList<>();
    private final List<OutboundMessage> onTheWire = new ArrayList<>();
    private final List<String> runs = new ArrayList<>();
    private Work work = (payload, context) -> handled.add(payload);

    private final class Wire extends ForwardingTransport {
        Wire() {
            super(new MemoryTransport(broker, TopologyOptions.defaults(), Runnable::run));
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            onTheWire.add(message);
            return super.send(message, deadline);
        }
    }

    private SafeBunnyEngine node(String name, HandlerDefinition... handlers) {
        Subjects own = subjects.computeIfAbsent(name, node -> new Subjects(keys, "subjects", place, timeline));
        SafeBunnyEngine engine =
                new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(name), new Wire(), timeline)
                        .store(store)
                        .meterRegistry(meters)
                        .breakers(new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run))
                        .listeners(List.of(told::add))
                        .codecs(new Codecs(List.of(new EncryptingCodec(keys, timeline, Set.of(), own)), null))
                        .callbacks(Runnable::run)
                        .build());
        engine.start(List.of(handlers));
        return engine;
    }

    private HandlerDefinition definition(Class<?> type) {
        return new HandlerDefinition(
                "charge",
                type.getSimpleName(),
                type,
                List.of("orders"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(2, Duration.ofMinutes(5))),
                (payload, context) -> {
                    runs.add(context.messageId());
                    work.on(payload, context);
                });
    }

    private void publish(Object payload) {
        node("orders").bunny().publish(payload, PublishOptions.none().withCorrelationId("c-1"));
    }

    private Subjects sender() {
        return Objects.requireNonNull(subjects.get("orders"));
    }

    /** At all instances. */
    private void erase(String customer) {
        assertThat(sender().erase(customer).hadKey()).isTrue();
        timeline.advance(Duration.ofMinutes(1));
    }

    private void failsOnce() {
        work = (payload, context) -> {
            throw new IllegalStateException("no");
        };
    }

    private void works() {
        work = (payload, context) -> handled.add(payload);
    }

    private double shredded(String type) {
        return meters.get("safebunny.shredded").tag("type", type).counter().count();
    }

    private static List<State> states(Story story) {
        return story.nodes().stream()
                .filter(part -> part.node().equals("billing")) // the others have the same store here
                .map(NodeStory::messages)
                .flatMap(List::stream)
                .map(NodeStory.Message::state)
                .toList();
    }

    @Test
    void areReadAsLongAsTheirPersonIsKnown() {
        node("billing", definition(Charge.class));
        publish(new Charge("ada", SECRET));

        assertThat(handled).containsExactly(new Charge("ada", SECRET));
        assertThat(store.written).noneMatch(new Canary(SECRET)::isIn);
    }

    @Test
    void haveTheIdOfAKeyOnTheWireAndNothingOfThePerson() {
        SafeBunnyEngine billing = node("billing", definition(Charge.class), definition(Nobodys.class));
        failsOnce();
        publish(new Charge("ada", SECRET));
        timeline.advance(Duration.ofMinutes(15));
        publish(new Nobodys("ada", SECRET));
        timeline.advance(Duration.ofMinutes(15));

        List<String> bodies = broker.messages(POISON).stream()
                .map(message -> new String(message.body(), StandardCharsets.ISO_8859_1))
                .toList();
        assertThat(bodies.get(0)).startsWith("SB2").doesNotContain("ada", SECRET);
        assertThat(bodies.get(1)).startsWith("SB1");
        assertThat(billing).isNotNull();
    }

    @Test
    void endAsShreddedAndAreToldOf() {
        SafeBunnyEngine billing = node("billing", definition(Charge.class));
        failsOnce();
        publish(new Charge("ada", SECRET)); // comes back in five minutes
        publish(new Charge("bob", SECRET));
        works();
        told.clear();
        erase("ada");
        timeline.advance(Duration.ofMinutes(5));

        assertThat(handled).containsExactly(new Charge("bob", SECRET));
        assertThat(broker.depth(POISON)).isZero();
        assertThat(shredded("Charge")).isEqualTo(1);
        assertThat(told.toString()).contains("MessageGivenUp", "shredded").doesNotContain("ada");
        Story story = Objects.requireNonNull(billing.get(StoryTeller.class)).of("c-1");
        assertThat(states(story)).containsExactlyInAnyOrder(State.SHREDDED, State.HANDLED);
        assertThat(story.sentences())
                .anyMatch(
                        sentence -> sentence.matches(
                                "billing has shredded `Charge` \\(.+\\) at .+, because its person was erased, after one failed attempt.*"));
        assertThat(story.timeline()).extracting(Story.Event::what).anySatisfy(what -> assertThat(what)
                .endsWith("was shredded, because its person was erased"));
        timeline.advance(Duration.ofHours(1));
        assertThat(runs).hasSize(3);
    }

    @Test
    void aDuplicateOfOneThatWasHandledIsADuplicate() {
        SafeBunnyEngine billing = node("billing", definition(Charge.class));
        onTheWire.clear();
        publish(new Charge("ada", SECRET));
        OutboundMessage sent = onTheWire.get(0);
        erase("ada");
        CompletableFuture<Void> unused = new MemoryTransport(broker, TopologyOptions.defaults(), Runnable::run)
                .send(sent, Deadline.after(Duration.ofSeconds(1), timeline));

        assertThat(handled).hasSize(1);
        assertThat(shredded("Charge")).isZero();
        assertThat(states(Objects.requireNonNull(billing.get(StoryTeller.class)).of("c-1")))
                .containsExactly(State.HANDLED);
    }

    @Test
    void resultsOfStepsAreErasedWithTheirMessage() {
        node("billing", definition(Charge.class));
        work = (payload, context) -> {
            String code = context.once("authorize", String.class, () -> "code-" + SECRET);
            throw new IllegalStateException(code.length() + " characters");
        };
        publish(new Charge("ada", SECRET));

        assertThat(store.written).anyMatch(text -> text.contains("sealed:")).noneMatch(new Canary(SECRET)::isIn);
        erase("ada");
        timeline.advance(Duration.ofMinutes(15));
        assertThat(runs).hasSize(1);
        assertThat(shredded("Charge")).isEqualTo(1);
    }

    /** Erased between the reading of the message and that of the result. */
    @Test
    void aStepWhoseResultIsErasedMeanwhileEndsItsMessage() {
        node("billing", definition(Charge.class));
        work = (payload, context) -> {
            String first = context.once("authorize", String.class, () -> "code");
            throw new IllegalStateException(first);
        };
        publish(new Charge("ada", SECRET));
        work = (payload, context) -> {
            erase("ada");
            handled.add(context.once("authorize", String.class, () -> "again"));
        };
        timeline.advance(Duration.ofMinutes(15));

        assertThat(handled).isEmpty();
        assertThat(runs).hasSize(2);
        assertThat(broker.depth(POISON)).isZero();
        assertThat(shredded("Charge")).isEqualTo(1);
    }

    @Test
    void aPoisonCopyCannotBeShownAndIsShreddedByItsReplay() {
        SafeBunnyEngine billing = node("billing", definition(Charge.class));
        failsOnce();
        publish(new Charge("ada", SECRET));
        publish(new Charge("bob", SECRET));
        timeline.advance(Duration.ofMinutes(15));
        assertThat(broker.depth(POISON)).isEqualTo(2);
        works();
        erase("ada");

        PoisonMessages poison = Objects.requireNonNull(billing.get(PoisonMessages.class));
        List<PoisonedMessage> seen = poison.list(PoisonFilter.all()).messages();
        assertThat(seen).extracting(PoisonedMessage::verdict).containsExactly(Verdict.RUN, Verdict.RUN);
        assertThat(seen.get(0).explanation()).contains("its person was erased on", "ends as shredded");
        Object unused = poison.replay(ALL);
        timeline.advance(Duration.ofMinutes(1));

        assertThat(handled).containsExactly(new Charge("bob", SECRET));
        assertThat(broker.depth(POISON)).isZero();
        assertThat(shredded("Charge")).isEqualTo(1);
    }

    @Test
    void aPoisonCopyCanBeDiscarded() {
        SafeBunnyEngine billing = node("billing", definition(Charge.class));
        failsOnce();
        publish(new Charge("ada", SECRET));
        timeline.advance(Duration.ofMinutes(15));
        erase("ada");

        Object unused =
                Objects.requireNonNull(billing.get(PoisonMessages.class)).discard(ALL);
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void anErasedHeadDoesNotBlockItsLane() {
        node("billing", definition(Charge.class).ordered(Ordering.HOLD));
        failsOnce();
        publish(new Charge("ada", SECRET));
        publish(new Charge("bob", SECRET));
        publish(new Charge("cyd", SECRET));
        works();
        erase("ada");
        timeline.advance(Duration.ofMinutes(5));

        assertThat(handled).containsExactly(new Charge("bob", SECRET), new Charge("cyd", SECRET));
        assertThat(shredded("Charge")).isEqualTo(1);
    }

    @Test
    void aScheduledMessageIsShreddedWhenItIsDue() {
        node("billing", definition(Charge.class));
        node("orders")
                .bunny()
                .publish(new Charge("ada", SECRET), PublishOptions.none().withDelay(Duration.ofHours(1)));
        erase("ada");
        timeline.advance(Duration.ofHours(1));

        assertThat(handled).isEmpty();
        assertThat(shredded("Charge")).isEqualTo(1);
    }

    @Test
    void whoComesBackAfterBeingErasedIsReadAgain() {
        node("billing", definition(Charge.class));
        publish(new Charge("ada", SECRET));
        erase("ada");
        publish(new Charge("ada", "5"));

        assertThat(handled).containsExactly(new Charge("ada", SECRET), new Charge("ada", "5"));
        assertThat(shredded("Charge")).isZero();
    }

    @Test
    void aPlaceOfKeysThatIsAwayCostsNothing() {
        node("billing", definition(Charge.class));
        publish(new Charge("ada", "before"));
        timeline.advance(Duration.ofMinutes(1)); // nobody remembers the key any more
        SealedBody.Subject unused = sender().current("ada");
        place.goAway();
        publish(new Charge("ada", "later"));
        timeline.advance(Duration.ofMinutes(5));
        assertThat(handled).hasSize(1);
        place.comeBack();
        timeline.advance(Duration.ofSeconds(5));

        assertThat(handled).containsExactly(new Charge("ada", "before"), new Charge("ada", "later"));
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void nobodysMessageIsNotPublished() {
        SafeBunnyEngine orders = node("orders");
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> orders.bunny().publish(new Charge(" ", SECRET)))
                .withMessageContaining("subject=customer")
                .withMessageNotContaining(SECRET);
    }
}
