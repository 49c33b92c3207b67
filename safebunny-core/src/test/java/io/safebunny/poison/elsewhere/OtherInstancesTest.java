// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.elsewhere;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyOperations;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.operations.NodeCondition;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.OtherInstances.Operation;
import io.safebunny.poison.OtherInstances.OtherInstance;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.Everyone;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlAddress.OfNode;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Two instances of a node, in virtual time: what one knows of what the other one holds. */
class OtherInstancesTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String POISON = "billing-poison";

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, task -> {
        throw new AssertionError("no message is delivered here");
    });
    private final One first = new One();
    private final One second = new One();

    /** One instance. */
    private final class One {
        final MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());
        final SafeBunnyEngine engine;
        final QueuePoisonMessages poison;
        /** Called before each message that it sends. */
        Runnable sends = () -> {};
        /** Called before each count of its broker. */
        Runnable counts = () -> {};
        /** Called once it has begun to read a queue. */
        Runnable browses = () -> {};

        One() {
            engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                            SafeBunnyOptions.of("billing").withLease(LEASE),
                            new ForwardingTransport(transport) {
                                @Override
                                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                                    sends.run();
                                    return super.send(message, deadline);
                                }

                                @Override
                                public OptionalLong depth(String queue) {
                                    counts.run();
                                    return super.depth(queue);
                                }

                                @Override
                                public BrowsedQueue browse(String queue) {
                                    BrowsedQueue browsed = super.browse(queue);
                                    browses.run();
                                    return browsed;
                                }
                            },
                            timeline)
                    .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                    .callbacks(Runnable::run)
                    .build());
            engine.start(List.of(new HandlerDefinition(
                    "test",
                    "OrderPlaced",
                    OrderPlaced.class,
                    List.of("orders"),
                    10,
                    RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                    (payload, context) -> {})));
            poison = engine.get(QueuePoisonMessages.class);
        }

        String name() {
            return engine.get(BunnyOperations.class).instance();
        }

        OtherInstance other() {
            timeline.advance(OtherOperations.FRESH.plusMillis(1));
            OtherInstances others = poison.atOtherInstances();
            assertThat(others.problem()).isNull();
            assertThat(others.instances()).hasSize(1);
            return others.instances().get(0);
        }

        /** After it was asked for long enough. */
        NodeCondition now() {
            SetAside unused = poison.setAside();
            timeline.advance(SetAsideWatch.INTERVAL.plusSeconds(6));
            return poison.setAside().condition(POISON);
        }
    }

    private void setAside(String id, String type) {
        WireMessage wire =
                Wires.orderPlaced().with("message_id", id).with("type", type).wire();
        var unused = first.transport
                .send(
                        new OutboundMessage(wire, new Route.Poison("billing"), Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
    }

    private static PoisonRequest parcels() {
        return PoisonRequest.of(PoisonFilter.all().withType("Parcel"), "annabel", "the address is unknown");
    }

    /** Discards two of three copies at the first instance, and does this before the second one is sent. */
    private PoisonOperation discarding(Runnable meanwhile) {
        setAside("m-1", "Letter"); // does not match, and is held
        setAside("m-2", "Parcel");
        setAside("m-3", "Parcel");
        List<String> sent = new ArrayList<>();
        first.sends = () -> {
            sent.add("one");
            if (sent.size() == 2) {
                meanwhile.run();
            }
        };
        return first.poison.discard(parcels());
    }

    @Test
    void tellsWhatAnOperationOfAnotherInstanceHolds() {
        List<OtherInstance> seen = new ArrayList<>();
        PoisonOperation discard = discarding(() -> seen.add(second.other()));

        OtherInstance other = seen.get(0);
        assertThat(other.instance()).isEqualTo(first.name());
        assertThat(other.silence()).isNull();
        assertThat(other.operations()).hasSize(1);
        assertThat(other.operations().get(0))
                .isEqualTo(new Operation(
                        discard.id(), Kind.DISCARD, RunState.RUNNING, false, discard.begunAt(), 3, 3, 1, 1, 2));

        assertThat(second.other().operations()).singleElement().satisfies(ended -> {
            assertThat(ended.state()).isEqualTo(RunState.ENDED);
            assertThat(ended.moved()).isEqualTo(2);
            assertThat(ended.held()).isZero();
        });
        assertThat(first.other().operations()).isEmpty();
    }

    @Test
    void whoLooksAtTheHeadIsToldThatAnotherInstanceHoldsCopies() {
        List<QueuePoisonMessages.Head> seen = new ArrayList<>();
        PoisonOperation unused = discarding(() -> seen.add(second.poison.head(100, wire -> true)));

        assertThat(seen.get(0).copies()).isEmpty();
        assertThat(seen.get(0).whyNotAll()).contains("another instance held copies");
        QueuePoisonMessages.Head after = second.poison.head(100, wire -> true);
        assertThat(after.copies()).hasSize(1);
        assertThat(after.whyNotAll()).isNull();
    }

    @Test
    void nothingIsSaidToBeThereWhileAnotherInstanceHoldsAll() {
        List<NodeCondition> seen = new ArrayList<>();
        List<Long> held = new ArrayList<>();
        assertThat(second.now().words()).isEqualTo("No message is set aside.");
        PoisonOperation discard = discarding(() -> {
            assertThat(first.transport.depth(POISON))
                    .as("of what the broker counts")
                    .hasValue(0);
            seen.add(second.now());
            held.add(second.poison.setAside().held());
        });

        assertThat(seen.get(0).level()).isEqualTo(Level.UNKNOWN);
        assertThat(seen.get(0).words())
                .contains("Operation %s on poison messages runs at instance %s, and holds some of them, 2 now"
                        .formatted(discard.id(), first.name()));
        assertThat(held).containsExactly(2L);
        assertThat(second.now().words()).contains("1 message is set aside");
        assertThat(second.poison.setAside().held()).isZero();
    }

    /** Its copies come back by themselves. */
    @Test
    void oneThatDiesDuringItsOperationIsNamedAsSilentAndThenForgotten() {
        List<NodeCondition> seen = new ArrayList<>();
        assertThat(second.now().level()).isEqualTo(Level.UP);
        PoisonOperation unused = discarding(() -> {
            first.transport.close();
            seen.add(second.now());
            timeline.advance(LEASE.multipliedBy(3));
            seen.add(second.now());
        });

        assertThat(seen.get(0).words())
                .contains(
                        "2 messages are set aside",
                        "Whether instance " + first.name()
                                + " holds some is not known (its hints were heard lately, but it does not answer: it may have died since, have an older version, or a broker user that may not answer questions (docs/permissions.md)).")
                .doesNotContain("on poison messages runs");
        assertThat(seen.get(1).words()).contains("2 messages are set aside").doesNotContain("not known");
    }

    /** A look is over before anybody is asked again, and the broker has counted meanwhile. */
    @Test
    void aNumberCountsOnlyIfNobodyHasLookedMeanwhile() {
        setAside("m-1", "Parcel");
        SetAside unused = second.poison.setAside();
        timeline.advance(Duration.ofMillis(1_500)); // the broker has been asked, the others not again
        assertThat(first.poison.list(PoisonFilter.all()).messages()).hasSize(1);
        timeline.advance(Duration.ofMillis(1_500));

        assertThat(second.poison.setAside().copies()).isEmpty();
        assertThat(second.poison.setAside().condition(POISON).words())
                .contains("somebody looks, or has just looked, at those in billing-poison");

        timeline.advance(SetAsideWatch.HELD_ELSEWHERE.plusSeconds(3));
        assertThat(second.poison.setAside().copies()).hasValue(1);
    }

    @Test
    void norIfThisInstanceHas() {
        setAside("m-1", "Parcel");
        SetAside unused = second.poison.setAside();
        timeline.advance(Duration.ofMillis(1_500));
        assertThat(second.poison.list(PoisonFilter.all()).messages()).hasSize(1);
        timeline.advance(Duration.ofMillis(1_500));

        assertThat(second.poison.setAside().copies()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNumberDoesNotCountWhileAnInstanceLooks(boolean itself) {
        setAside("m-1", "Parcel");
        List<SetAside> seen = new ArrayList<>();
        One looking = itself ? second : first;
        looking.browses = () -> {
            SetAside unused = second.poison.setAside();
            timeline.advance(Duration.ofSeconds(5));
            seen.add(second.poison.setAside());
        };
        assertThat(looking.poison.list(PoisonFilter.all()).messages()).hasSize(1);

        assertThat(seen.get(0).copies()).isEmpty();
        assertThat(seen.get(0).others()).isNotNull();
        timeline.advance(Duration.ofSeconds(5));
        assertThat(second.poison.setAside().copies()).hasValue(1);
    }

    @Test
    void whoAsksAgainAtOnceIsToldTheSame() {
        OtherInstances told = second.poison.atOtherInstances();
        assertThat(second.poison.atOtherInstances()).isSameAs(told);

        timeline.advance(OtherOperations.FRESH.plusMillis(1));
        assertThat(second.poison.atOtherInstances().asOf()).isAfter(told.asOf());
    }

    /** Whoever looks every two seconds does not wait for a round each time. */
    @Test
    void whoMustNotWaitIsToldWhatWasSaidLatelyWhileTheOthersAreAsked() {
        OtherInstances told = second.poison.lastKnownOfOthers();
        assertThat(told.instances()).as("nothing was known, so it has waited").hasSize(1);

        timeline.advance(OtherOperations.FRESH.plusMillis(1));
        Instant then = timeline.now();
        assertThat(second.poison.lastKnownOfOthers()).isSameAs(told);
        assertThat(timeline.now()).as("without waiting").isEqualTo(then);
        timeline.advance(Duration.ofSeconds(3));
        assertThat(second.poison.lastKnownOfOthers().asOf())
                .as("asked meanwhile")
                .isEqualTo(then);

        timeline.advance(OtherOperations.LATELY.plusMillis(1));
        then = timeline.now();
        assertThat(second.poison.lastKnownOfOthers().asOf()).isEqualTo(then);
    }

    /** An instance of the node that answers in its own way. */
    private void stranger(String reply) {
        MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());
        ControlChannel[] channel = new ControlChannel[1];
        Map<ControlAddress, Consumer<byte[]>> listeners = Map.of(new Everyone(), bytes -> {
            JsonNode asked = JsonMapper.shared().readTree(bytes);
            if (asked.path("kind").asString("").equals("ASK")) {
                tell(
                        channel[0],
                        new OfInstance(asked.path("answerTo").asString()),
                        reply.formatted(asked.path("question").asString()));
            }
        });
        channel[0] = transport.control(listeners);
        tell(channel[0], new OfNode("billing"), "{'kind':'HERE','from':'older','node':'billing','version':'0.9'}");
    }

    private static void tell(ControlChannel channel, ControlAddress to, String json) {
        var unused = channel.tell(to, json.replace('\'', '"').getBytes(UTF_8));
    }

    private OtherInstance older() {
        return second.poison.atOtherInstances().instances().stream()
                .filter(instance -> instance.instance().equals("older"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void ofAnOlderInstanceItIsNotKnownInsteadOfNothing() {
        stranger(
                "{'kind':'TELL','v':1,'from':'older','node':'billing','version':'0.9','question':'%s','refused':'unknown'}");

        assertThat(older().silence()).isEqualTo("runs a version that cannot say so");
        assertThat(older().version()).isEqualTo("0.9");
        assertThat(second.now().level()).isEqualTo(Level.UNKNOWN);
        assertThat(second.now().words())
                .contains("Whether instance older holds some is not known (runs a version that cannot say so).");
    }

    @Test
    void anAnswerThatSaysNothingOfOperationsIsNotTakenForNone() {
        stranger(
                "{'kind':'TELL','v':1,'from':'older','node':'billing','version':'2','question':'%s','answer':{'operations':[]}}");

        assertThat(older().silence()).isEqualTo("its answer cannot be read");
        assertThat(second.now().level()).isEqualTo(Level.UNKNOWN);
    }

    @Test
    void aForgedAnswerIsReadToALimit() {
        String operation =
                "{'id':'op','kind':'DISCARD','state':'RUNNING','begunAt':'2026-01-01T00:00:00Z','held':-5,'moved':99999999999},";
        stranger(
                "{'kind':'TELL','v':1,'from':'older','node':'billing','version':'2','question':'%s','answer':{'browses':true,'browsed':1,'operations':["
                        + operation.repeat(50)
                        + "{'kind':'MELT'}]}}");

        assertThat(older().operations()).hasSize(InstanceOperations.MOST).allSatisfy(read -> {
            assertThat(read.held()).isZero();
            assertThat(read.moved()).isEqualTo(Integer.MAX_VALUE);
        });
    }

    /** Nor does its question cost those of others their answers. */
    @Test
    void anotherNodeIsToldNothing() {
        List<JsonNode> heard = new ArrayList<>();
        MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());
        ControlChannel channel = transport.control(Map.of(
                new OfInstance("57a46e12"),
                bytes -> heard.add(JsonMapper.shared().readTree(bytes))));
        String asks =
                "{'kind':'ASK','v':1,'from':'stranger','node':'strange','version':'','answerTo':'57a46e12','question':'q-%s',";
        discarding(() -> {
            for (int i = 0; i < 100; i++) {
                tell(channel, new Everyone(), asks.formatted(i) + "'what':'operations','about':'strange'}");
            }
            tell(channel, new Everyone(), asks.formatted(100) + "'what':'nodes'}");
        });

        assertThat(heard).hasSize(2).allSatisfy(reply -> assertThat(
                        reply.path("answer").path("uptime").asString(""))
                .as("the answer to the last question")
                .isNotEmpty());
    }

    @Test
    void whatAPersonHasWrittenStaysHere() {
        List<String> seen = new ArrayList<>();
        PoisonOperation unused = discarding(() -> seen.add(second.other().toString()));

        assertThat(seen.get(0)).doesNotContain("annabel", "address", "Parcel");
    }

    @Test
    void asksOnlyWhileSomebodyLooks() {
        List<String> asked = new ArrayList<>();
        MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());
        ControlChannel unusedChannel =
                transport.control(Map.of(new Everyone(), bytes -> asked.add(new String(bytes, UTF_8))));
        timeline.advance(Duration.ofMinutes(10));
        assertThat(asked).isEmpty();

        for (int i = 0; i < 60; i++) {
            SetAside unused = second.poison.setAside();
            timeline.advance(Duration.ofSeconds(1));
        }
        assertThat(asked).hasSizeBetween(6, 10);
        timeline.advance(SetAsideWatch.INTEREST);
        assertThat(asked).hasSizeBetween(20, 40);
        timeline.advance(SetAsideWatch.SELDOM.multipliedBy(2));
        asked.clear();
        timeline.advance(Duration.ofMinutes(10));
        assertThat(asked).isEmpty();
        assertThat(second.poison.setAside()).isEqualTo(SetAside.UNKNOWN);
    }

    /** Behind a load balancer with many instances, each of them is read so rarely. */
    @Test
    void whoComesSeldomIsToldANumber() {
        SetAside unused = second.poison.setAside();
        for (int i = 0; i < 10; i++) {
            timeline.advance(Duration.ofSeconds(80));
            assertThat(second.poison.setAside().copies()).hasValue(0);
        }
        timeline.advance(Duration.ofMinutes(5));
        setAside("m-1", "Parcel");
        SetAside unusedEither = second.poison.setAside();
        timeline.advance(Duration.ofSeconds(5));
        assertThat(second.poison.setAside().copies()).as("it looks at once").hasValue(1);
    }

    /** Each of them may ask as often, and all of them answer. */
    @Test
    void asksLessOftenTheMoreInstancesThereAre() {
        List<JsonNode> asked = new ArrayList<>();
        MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());
        ControlChannel[] channel = new ControlChannel[1];
        channel[0] = transport.control(Map.of(new Everyone(), bytes -> {
            JsonNode question = JsonMapper.shared().readTree(bytes);
            if (question.path("kind").asString("").equals("ASK")) {
                asked.add(question);
                for (int i = 0; i < 40; i++) {
                    tell(
                            channel[0],
                            new OfInstance(question.path("answerTo").asString()),
                            "{'kind':'TELL','v':1,'from':'billing-%s','node':'billing','version':'2','question':'%s','answer':{'browses':false}}"
                                    .formatted(i, question.path("question").asString()));
                }
            }
        }));
        for (int i = 0; i < 300; i++) {
            SetAside unused = second.poison.setAside();
            timeline.advance(Duration.ofSeconds(2));
        }

        assertThat(second.poison.setAside().copies()).hasValue(0);
        assertThat(asked).hasSizeBetween(20, 32);
    }

    @Test
    void aFailureIsNotTheLastCount() {
        assertThat(second.now().words()).isEqualTo("No message is set aside.");
        setAside("m-1", "Parcel");
        second.counts = () -> {
            throw new AssertionError("as the test wants");
        };
        assertThat(second.now().words()).contains("those in billing-poison could not be counted");

        second.counts = () -> {};
        assertThat(second.now().words()).contains("1 message is set aside");
    }

    @Test
    void saysThatTheBrokerRefusesToCount() {
        second.counts = () -> {
            throw BrowsingException.denied(POISON, "as the test wants", null);
        };
        assertThat(second.now().words())
                .contains("queue billing-poison does not exist, or the user of this node may not count");
        second.counts = () -> {};
        assertThat(second.now().words()).as("for five minutes").contains("does not exist, or the user");
    }
}
