// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyOperations.Instance;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.AnswersTo;
import io.safebunny.node.Node;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.observation.Metrics;
import io.safebunny.operations.NodeOperations;
import io.safebunny.operations.questions.InstanceFacts.HandledType;
import io.safebunny.operations.questions.InstanceFacts.NotClosed;
import io.safebunny.operations.questions.Nodes.ListedInstance;
import io.safebunny.operations.questions.Nodes.ListedNode;
import io.safebunny.operations.questions.Nodes.Listing;
import io.safebunny.operations.questions.Questions.Round;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.Everyone;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Instances of several nodes that ask each other, in virtual time, and others that forge, flood or speak other versions. */
class NodesTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String TYPE = "OrderPlaced";

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, task -> {
        throw new AssertionError("no message is delivered here");
    });
    private final MessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));

    /** What differs among instances. */
    private record Given(AnswersTo answers, Timeline timeline, Executor workers) {}

    private final Given usual = new Given(AnswersTo.ALL, timeline, Runnable::run);

    /** One instance. */
    private final class One {
        final Transport transport;
        final CircuitBreakers breakers;
        final NodeOperations operations;
        final Nodes nodes;

        One(String node, Given given, Transport transport, List<HandlerDefinition> handlers) {
            this.transport = transport;
            breakers = new CircuitBreakers(
                    new BreakerSettings(50, 10, 10, Duration.ofSeconds(30), 1), given.timeline, Runnable::run);
            operations = new NodeOperations(
                    new Node(SafeBunnyParts.builder(
                                    SafeBunnyOptions.of(node).withLease(LEASE).withAnswersTo(given.answers),
                                    transport,
                                    given.timeline)
                            .store(store)
                            .breakers(breakers)
                            .callbacks(given.workers)
                            .build()),
                    "host",
                    true);
            nodes = operations.offers().stream()
                    .filter(Nodes.class::isInstance)
                    .map(Nodes.class::cast)
                    .findFirst()
                    .orElseThrow();
            operations.startConsuming(handlers);
            handlers.forEach(handler -> breakers.add(
                    handler.type(), OrderPlaced.class, new Metrics(new SimpleMeterRegistry()), ExceptionDetails.FULL));
        }

        void stop() {
            operations.stopConsuming();
            transport.close();
        }

        /** Without a word to the others. */
        void die() {
            transport.close();
        }
    }

    private static HandlerDefinition handler(String type, String... from) {
        return new HandlerDefinition(
                "test",
                type,
                OrderPlaced.class,
                List.of(from),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {});
    }

    private MemoryTransport transport() {
        return new MemoryTransport(broker, TopologyOptions.defaults());
    }

    private One start(String node, HandlerDefinition... handlers) {
        return start(node, usual, handlers);
    }

    private One start(String node, Given given, HandlerDefinition... handlers) {
        return new One(node, given, transport(), List.of(handlers));
    }

    private Listing list(One one) throws Exception {
        return timeline.await(one.nodes.list(), Duration.ofSeconds(3));
    }

    private static ListedNode node(Listing listing, String name) {
        return listing.nodes().stream()
                .filter(node -> node.node().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not in " + listing));
    }

    private static ListedInstance only(Listing listing, String name) {
        assertThat(node(listing, name).instances()).hasSize(1);
        return node(listing, name).instances().get(0);
    }

    /** Somebody on the broker who is no instance of SafeBunny, or one of another version. */
    private final class Stranger {
        final Queue<String> heard = new ArrayDeque<>();
        final ControlChannel channel;

        /** @param listeners in addition to its own address */
        Stranger(Map<ControlAddress, Consumer<byte[]>> listeners) {
            Map<ControlAddress, Consumer<byte[]>> all = new HashMap<>(listeners);
            all.put(new OfInstance("57a46e12"), message -> heard.add(new String(message, UTF_8)));
            channel = transport().control(all);
        }

        void tell(ControlAddress to, String json) {
            CompletableFuture<Void> unused = channel.tell(to, json.getBytes(UTF_8));
        }

        void ask(int number, String what) {
            tell(
                    new Everyone(),
                    "{'kind':'ASK','v':1,'from':'stranger','node':'strange','version':'','answerTo':'57a46e12','question':'q-%s','what':'%s'}"
                            .replace('\'', '"')
                            .formatted(number, what));
        }

        void askAbout(int number, String what, String about) {
            tell(
                    new Everyone(),
                    "{'kind':'ASK','v':1,'from':'stranger','node':'strange','version':'','answerTo':'57a46e12','question':'q-%s','what':'%s','about':'%s'}"
                            .replace('\'', '"')
                            .formatted(number, what, about));
        }

        List<JsonNode> repliesOf(One one) {
            return replies().stream()
                    .filter(reply -> reply.path("from").asString().equals(one.operations.instance()))
                    .toList();
        }

        List<JsonNode> replies() {
            return heard.stream().map(JsonMapper.shared()::readTree).toList();
        }
    }

    /** Replies to every question with this text, in which {@code %s} is the question's id. */
    private void strangerReplies(String... replies) {
        Stranger[] stranger = new Stranger[1];
        stranger[0] = new Stranger(Map.of(new Everyone(), message -> {
            JsonNode asked = JsonMapper.shared().readTree(message);
            for (String reply : replies) {
                stranger[0].tell(
                        new OfInstance(asked.path("answerTo").asString()),
                        reply.replace('\'', '"')
                                .formatted(asked.path("question").asString()));
            }
        }));
    }

    @Test
    void listsEveryNodeAndInstanceWithWhatItSays() throws Exception {
        One shop = start("shop");
        One first = start("billing", handler(TYPE, "shop", "orders"));
        One second = start("billing", handler(TYPE, "shop", "orders"));
        timeline.advance(Duration.ofSeconds(90));
        second.breakers.open(OrderPlaced.class, Duration.ofMinutes(5));
        Duration before = timeline.elapsed();

        Listing listing = list(shop);

        assertThat(timeline.elapsed().minus(before)).isEqualTo(Questions.FIRST_AT_LEAST);
        assertThat(listing.instance()).isEqualTo(shop.operations.instance());
        assertThat(listing.problem()).isNull();
        assertThat(listing.nodes()).extracting(ListedNode::node).containsExactly("billing", "orders", "shop");
        assertThat(node(listing, "billing").answered()).isTrue();
        assertThat(node(listing, "billing").instances())
                .extracting(ListedInstance::instance)
                .containsExactlyInAnyOrder(first.operations.instance(), second.operations.instance());
        assertThat(node(listing, "billing").instances()).allSatisfy(instance -> {
            InstanceFacts facts = Objects.requireNonNull(instance.facts());
            assertThat(facts.uptime()).isEqualTo("PT1M30S");
            assertThat(facts.store()).isEqualTo("MemoryMessageStore");
            assertThat(facts.types()).containsExactly(new HandledType(TYPE, List.of("shop", "orders")));
            assertThat(facts.cut()).isFalse();
            assertThat(facts.notClosed())
                    .extracting(NotClosed::type)
                    .isEqualTo(instance.instance().equals(second.operations.instance()) ? List.of(TYPE) : List.of());
        });
        assertThat(node(listing, "orders")).satisfies(orders -> {
            assertThat(orders.answered()).isFalse();
            assertThat(orders.note()).contains("not heard of");
            assertThat(orders.instances()).isEmpty();
        });
        assertThat(only(listing, "shop").facts()).isNotNull();
    }

    @Test
    void anInstanceThatStopsIsForgottenAndOneThatDiesIsListedForADay() throws Exception {
        One shop = start("shop");
        One stops = start("billing", handler(TYPE, "shop"));
        One dies = start("billing", handler(TYPE, "shop"));
        assertThat(node(list(shop), "billing").instances()).hasSize(2);
        Instant heard = timeline.now();

        stops.stop();
        dies.die();
        Duration before = timeline.elapsed();
        Listing soon = list(shop);

        assertThat(timeline.elapsed().minus(before)).isEqualTo(Questions.PATIENCE);
        assertThat(node(soon, "billing").answered()).isFalse();
        assertThat(only(soon, "billing")).satisfies(silent -> {
            assertThat(silent.instance()).isEqualTo(dies.operations.instance());
            assertThat(silent.facts()).isNull();
            assertThat(silent.lastHeard()).isBetween(heard.minusSeconds(1), heard);
            assertThat(silent.note()).contains("not answered within 2 s");
        });

        timeline.advance(Duration.ofDays(1));
        before = timeline.elapsed();
        assertThat(list(shop).nodes()).extracting(ListedNode::node).containsExactly("shop");
        assertThat(timeline.elapsed().minus(before)).isEqualTo(Questions.AT_LEAST);
    }

    @Test
    void aNodeWhoseMessagesAreHandledIsWaitedFor() throws Exception {
        One billing = start("billing", handler(TYPE, "shop"));
        Duration before = timeline.elapsed();

        assertThat(node(list(billing), "shop").answered()).isFalse();
        assertThat(timeline.elapsed().minus(before)).isEqualTo(Questions.PATIENCE);
        start("shop");
        before = timeline.elapsed();
        assertThat(node(list(billing), "shop").answered()).isTrue();
        assertThat(timeline.elapsed().minus(before)).isEqualTo(Questions.AT_LEAST);
    }

    @Test
    void namesWhoRefusesToAnswer() throws Exception {
        One shop = start("shop");
        One shut = start("shut", new Given(AnswersTo.NONE, timeline, Runnable::run));
        Given own = new Given(AnswersTo.NODE, timeline, Runnable::run);
        One billing = start("billing", own);
        One sibling = start("billing", own);

        Listing asked = list(shop);
        assertThat(node(asked, "shut").answered()).isFalse();
        assertThat(only(asked, "shut").note()).contains("safebunny.operations.answers=none");
        assertThat(node(asked, "billing").instances()).hasSize(2).allSatisfy(instance -> assertThat(instance.note())
                .contains("safebunny.operations.answers=node"));
        assertThat(node(list(sibling), "billing").instances())
                .extracting(ListedInstance::instance)
                .containsExactlyInAnyOrder(billing.operations.instance(), sibling.operations.instance());
        assertThat(node(list(sibling), "billing").instances()).allMatch(instance -> instance.facts() != null);
        assertThat(only(list(shut), "shut").facts()).as("it asks nevertheless").isNotNull();
    }

    @Test
    void aFloodCostsFiveAnswersASecondAndFiveRepliesThatItIsBusyAndNoHint() {
        One billing = start("billing", handler(TYPE, "billing"));
        One other = start("billing", handler(TYPE, "billing"));
        Stranger stranger = new Stranger(Map.of());
        for (int i = 0; i < 1_000; i++) {
            stranger.ask(i, "nodes");
        }

        for (One each : List.of(billing, other)) {
            List<JsonNode> replies = stranger.repliesOf(each);
            assertThat(replies).hasSize(10);
            assertThat(replies).filteredOn(reply -> reply.has("answer")).hasSize(5);
            assertThat(replies)
                    .filteredOn(reply -> reply.path("refused").asString("").equals("busy"))
                    .hasSize(5);
        }
        assertThat(billing.operations
                        .pause(TYPE, Duration.ofMinutes(1), Scope.NODE, "r", "b")
                        .instances())
                .containsExactlyInAnyOrder(
                        new Instance(billing.operations.instance(), true),
                        new Instance(other.operations.instance(), true));

        timeline.advance(Duration.ofSeconds(1));
        stranger.ask(1_000, "nodes");
        assertThat(stranger.repliesOf(billing)).hasSize(11).last().matches(reply -> reply.has("answer"));
    }

    /** Replies go wherever the question says, so their bytes count. */
    @Test
    void largeAnswersAreFewerASecond() {
        HandlerDefinition[] handlers = IntStream.range(0, 700)
                .mapToObj(i -> handler("Type" + "x".repeat(80) + i, "a".repeat(90), "b".repeat(90)))
                .toArray(HandlerDefinition[]::new);
        One billing = start("billing", handlers);
        Stranger stranger = new Stranger(Map.of());
        for (int i = 0; i < 5; i++) {
            stranger.ask(i, "nodes");
        }

        assertThat(stranger.repliesOf(billing))
                .filteredOn(reply -> reply.has("answer"))
                .hasSize(1);
        assertThat(stranger.repliesOf(billing))
                .filteredOn(reply -> reply.path("refused").asString("").equals("busy"))
                .hasSize(4);
    }

    @Test
    void whatNobodyWaitsForAnyMoreIsNotAnswered() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        start("billing", new Given(AnswersTo.ALL, timeline, tasks::add), handler(TYPE, "billing"));
        tasks.clear();
        Stranger stranger = new Stranger(Map.of());

        stranger.ask(1, "nodes");
        timeline.advance(Questions.PATIENCE.plusMillis(1));
        stranger.ask(2, "nodes");
        runAll(tasks);

        assertThat(stranger.replies())
                .singleElement()
                .matches(reply -> reply.path("question").asString().equals("q-2"));
    }

    private static void runAll(Queue<Runnable> tasks) {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private Node node() {
        return new Node(SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), transport(), timeline)
                .callbacks(Runnable::run)
                .build());
    }

    @Test
    void allWhoAskWithinASecondGetTheSameAnswerAndWhatCannotBeAnsweredIsRefused() {
        List<String> made = new ArrayList<>();
        Answering answering = new Answering(node(), new Sender("billing-1", "billing", ""));
        answering.answers("nodes", (about, within) -> {
            made.add("answer");
            return JsonMapper.shared().createObjectNode();
        });
        answering.answers(
                "large",
                (about, within) -> JsonMapper.shared().createObjectNode().put("text", "x".repeat(300_000)));
        answering.answers("broken", (about, within) -> {
            throw new IllegalStateException("planned");
        });
        Stranger stranger = new Stranger(Map.of());
        answering.join(stranger.channel);
        for (String what : List.of("nodes", "nodes", "large", "broken")) {
            answering.heard(new Question(
                    1, new Sender("stranger", "strange", ""), new OfInstance("57a46e12"), "q-" + what, what, ""));
        }

        assertThat(made).hasSize(1);
        assertThat(stranger.replies())
                .extracting(reply -> reply.path("refused").asString(""))
                .containsExactly("", "", "too large", "failed");
    }

    @Test
    void whatIsAskedAboutHasAnAnswerOfItsOwnWhichIsShared() {
        List<String> made = new ArrayList<>();
        One billing = start("billing", handler(TYPE, "billing"));
        billing.nodes.answers("what", (about, within) -> {
            made.add(about);
            return JsonMapper.shared().createObjectNode().put("about", about);
        });
        Stranger stranger = new Stranger(Map.of());

        for (String about : List.of("a", "b", "a")) {
            stranger.askAbout(made.size(), "what", about);
        }
        stranger.askAbout(4, "what", "x".repeat(10_241));
        stranger.askAbout(5, "what", "\\ud83d");

        assertThat(made).containsExactly("a", "b");
        assertThat(stranger.replies())
                .extracting(reply -> reply.path("answer").path("about").asString())
                .containsExactly("a", "b", "a");
    }

    /** Otherwise one store that hangs would make an instance look as if it did not run. */
    @Test
    void aSlowAnswerKeepsNobodyFromAnotherOneAndIsSaidToBeSlow() {
        One billing = start("billing", handler(TYPE, "billing"));
        Stranger stranger = new Stranger(Map.of());
        billing.nodes.answers("slow", (about, within) -> {
            assertThat(within).isEqualTo(Answering.SLOW);
            stranger.ask(2, "nodes");
            for (int i = 3; i < 33; i++) {
                timeline.advance(Duration.ofSeconds(1));
                stranger.ask(i, "slow");
            }
            timeline.advance(Answering.SLOW);
            return JsonMapper.shared().createObjectNode();
        });

        stranger.ask(1, "slow");

        List<JsonNode> replies = stranger.replies();
        assertThat(replies.get(0).path("question").asString()).isEqualTo("q-2");
        assertThat(replies.get(0).has("answer")).isTrue();
        assertThat(replies.subList(1, replies.size()))
                .hasSize(31)
                .allMatch(reply -> reply.path("refused").asString("").equals("slow"))
                .extracting(reply -> reply.path("question").asString())
                .doesNotHaveDuplicates();
    }

    @Test
    void aLargeAnswerKeepsNobodyFromAnotherOne() {
        One billing = start("billing", handler(TYPE, "billing"));
        billing.nodes.answers(
                "large",
                (about, within) -> JsonMapper.shared().createObjectNode().put("text", "x".repeat(250_000)));
        Stranger stranger = new Stranger(Map.of());

        stranger.ask(1, "large");
        stranger.ask(2, "nodes");
        stranger.ask(3, "large");

        assertThat(stranger.replies()).extracting(reply -> reply.has("answer")).containsExactly(true, true, false);
    }

    @Test
    void whoAnswersNobodyAnswersNoQuestion() {
        List<String> made = new ArrayList<>();
        for (AnswersTo answers : List.of(AnswersTo.NONE, AnswersTo.NODE)) {
            One one = start("billing", new Given(answers, timeline, Runnable::run), handler(TYPE, "billing"));
            one.nodes.answers("what", (about, within) -> {
                made.add(about);
                return JsonMapper.shared().createObjectNode();
            });
        }
        Stranger stranger = new Stranger(Map.of());

        stranger.askAbout(1, "what", "a");

        assertThat(made).isEmpty();
        assertThat(stranger.replies())
                .extracting(reply -> reply.path("refused").asString())
                .containsExactlyInAnyOrder("none", "node");
    }

    /** Rows of questions about single things leave some answers of each second to others, of whatever name. */
    @Test
    void questionsToANamedNodeTakeOnlyAShareOfItsAnswers() {
        One billing = start("billing", handler(TYPE, "billing"));
        billing.nodes.answersNamed(
                "what", (about, within) -> JsonMapper.shared().createObjectNode());
        Stranger stranger = new Stranger(Map.of());

        for (int second = 0; second < 3; second++) {
            for (int i = 0; i < 20; i++) {
                stranger.askAbout(100 * second + i, "what", "billing\\n" + i);
            }
            for (int i = 20; i < 23; i++) {
                stranger.ask(100 * second + i, "nodes");
            }
            timeline.advance(Duration.ofSeconds(1));
        }
        for (int second = 0; second < 3; second++) {
            for (int i = 0; i < 5; i++) {
                stranger.ask(300 + 10 * second + i, "never heard of");
            }
            timeline.advance(Duration.ofSeconds(1));
        }

        assertThat(stranger.replies().stream()
                        .map(reply -> reply.has("answer")
                                ? "told"
                                : reply.path("refused").asString()))
                .hasSize(3 * 7 + 3 * 5)
                .startsWith("told", "told", "busy", "busy", "told", "told", "told", "told", "told", "busy")
                .endsWith("unknown", "unknown", "unknown", "unknown", "unknown");
    }

    @Test
    void whoIsBusyIsListedAsBusy() throws Exception {
        One shop = start("shop");
        start("billing", handler(TYPE, "billing"));
        Stranger stranger = new Stranger(Map.of());
        for (int i = 0; i < 5; i++) {
            stranger.ask(i, "nodes");
        }

        assertThat(only(list(shop), "billing").note()).contains("busy");
    }

    @Test
    void anErrorWhileAnsweringSilencesNoLaterAnswer() {
        AtomicBoolean fails = new AtomicBoolean(true);
        Transport failing = new ForwardingTransport(transport()) {
            @Override
            public ControlChannel control(Map<ControlAddress, Consumer<byte[]>> listeners) {
                ControlChannel real = super.control(listeners);
                return new ControlChannel() {
                    @Override
                    public @Nullable String problem(ControlAddress address) {
                        return real.problem(address);
                    }

                    @Override
                    public CompletableFuture<Void> tell(ControlAddress to, byte[] message) {
                        if (to instanceof OfInstance && fails.getAndSet(false)) {
                            throw new StackOverflowError("once");
                        }
                        return real.tell(to, message);
                    }
                };
            }
        };
        One unused = new One("billing", usual, failing, List.of(handler(TYPE, "billing")));
        Stranger stranger = new Stranger(Map.of());

        stranger.ask(1, "nodes");
        stranger.ask(2, "nodes");

        assertThat(fails).isFalse();
        assertThat(stranger.replies())
                .singleElement()
                .matches(reply -> reply.path("question").asString("").equals("q-2"));
    }

    @Test
    void refusesAQuestionThatItDoesNotKnow() {
        start("billing", handler(TYPE, "billing"));
        Stranger stranger = new Stranger(Map.of());

        stranger.ask(1, "secrets");

        assertThat(stranger.replies())
                .singleElement()
                .matches(reply -> reply.path("refused").asString("").equals("unknown"));
    }

    @Test
    void whatIsNoQuestionAndNoReplyIsIgnored() throws Exception {
        One shop = start("shop");
        Stranger stranger = new Stranger(Map.of());
        for (String text : List.of(
                "",
                "[]",
                "{\"kind\":\"ASK\"}",
                "{\"kind\":\"ASK\",\"from\":\"x\",\"node\":\"x\",\"question\":\"q\",\"what\":\"nodes\",\"answerTo\":\"#\"}",
                "x".repeat(300_000))) {
            stranger.tell(new Everyone(), text);
        }
        strangerReplies(
                "",
                "[]",
                "{'kind':'TELL','question':'%s'}",
                "{'kind':'TELL','from':'x','node':'UPPER','question':'%s'}",
                "{'kind':'SAY','from':'x','node':'x','question':'%s','answer':{}}",
                "{'kind':'TELL','from':'x','node':'x','question':'%s','answer':{'x':'" + "x".repeat(300_000) + "'}}");

        assertThat(list(shop).nodes()).extracting(ListedNode::node).containsExactly("shop");
        assertThat(stranger.heard).isEmpty();
    }

    /** Whoever hears the question can forge as many replies as it likes. */
    @Test
    void repliesAreReadToALimit() throws Exception {
        One shop = start("shop");
        strangerReplies(IntStream.range(0, Questions.MOST_REPLIES + 10)
                .mapToObj(i -> "{'kind':'TELL','v':1,'from':'many-%d','node':'many','question':'%%s','answer':{}}"
                        .formatted(i))
                .toArray(String[]::new));

        assertThat(node(list(shop), "many").instances())
                .filteredOn(instance -> instance.facts() != null)
                .hasSize(Questions.MOST_REPLIES);
    }

    @Test
    void eachReplyIsReadToALimit() throws Exception {
        One shop = start("shop");
        strangerReplies(
                "{'kind':'TELL','v':1,'from':'long','node':'long','question':'%s','answer':{'types':["
                        + joined(5_000, i -> "{}")
                        + "],'notClosed':["
                        + joined(1_001, i -> "{}")
                        + "]}}",
                "{'kind':'TELL','v':1,'from':'wide','node':'wide','question':'%s','answer':{'types':["
                        + joined(12, i -> "{'type':'t','from':[" + joined(101, j -> "'n" + i + "-" + j + "'") + "]}")
                        + "]}}");

        Listing listing = list(shop);

        InstanceFacts read = Objects.requireNonNull(only(listing, "long").facts());
        assertThat(read.types()).hasSize(InstanceFacts.MOST);
        assertThat(read.notClosed()).hasSize(InstanceFacts.MOST);
        assertThat(read.cut()).isTrue();
        assertThat(Objects.requireNonNull(only(listing, "wide").facts()).types())
                .allSatisfy(each -> assertThat(each.from()).hasSize(100));
        assertThat(listing.nodes())
                .filteredOn(node -> node.node().startsWith("n"))
                .hasSize(Nodes.MOST_NAMED);
    }

    private static String joined(int count, IntFunction<String> element) {
        return IntStream.range(0, count).mapToObj(element).collect(Collectors.joining(","));
    }

    @Test
    void whoAnswersBeyondTheLimitIsListedWithoutItsAnswer() throws Exception {
        One shop = start("shop");
        strangerReplies(IntStream.range(10, 30)
                .mapToObj(i ->
                        "{'kind':'TELL','v':1,'from':'large-%d','node':'large','question':'%%s','answer':{'x':'%s'}}"
                                .formatted(i, "x".repeat(230_000)))
                .toArray(String[]::new));
        Duration before = timeline.elapsed();

        Listing listing = list(shop);

        assertThat(timeline.elapsed().minus(before)).isEqualTo(Questions.FIRST_AT_LEAST);
        assertThat(node(listing, "large").instances()).hasSize(20);
        assertThat(node(listing, "large").instances())
                .filteredOn(instance -> instance.facts() == null)
                .isNotEmpty()
                .allSatisfy(instance -> assertThat(instance.note()).contains("left out", "4 MiB"));
    }

    @Test
    void beyondAThousandNoOthersAreRememberedAndThoseThatAreStay() {
        Neighbours neighbours = new Neighbours(node());
        neighbours.heard(new Sender("genuine", "billing", ""));
        for (int i = 0; i < 2_000; i++) {
            neighbours.heard(new Sender("forged-" + i, "billing", ""));
        }

        assertThat(neighbours.all())
                .hasSize(Neighbours.MOST)
                .anyMatch(one -> one.who().instance().equals("genuine"));
    }

    /** In a day, crashes leave many names. */
    @Test
    void aNewOneTakesThePlaceOfTheOneThatHasBeenSilentLongest() {
        Neighbours neighbours = new Neighbours(node());
        neighbours.heard(new Sender("crashed", "billing", ""));
        timeline.advance(neighbours.lately().plusMillis(1));
        for (int i = 1; i < Neighbours.MOST; i++) {
            neighbours.heard(new Sender("running-" + i, "billing", ""));
        }

        neighbours.heard(new Sender("new", "billing", ""));
        neighbours.heard(new Sender("one-too-many", "billing", ""));

        assertThat(neighbours.all())
                .hasSize(Neighbours.MOST)
                .extracting(one -> one.who().instance())
                .contains("new", "running-1")
                .doesNotContain("crashed", "one-too-many");
    }

    /** Messages of one instance are heard on several threads. */
    @Test
    void whatIsHeardAfterAFarewellBringsNobodyBackUntilSomeTimeHasPassed() {
        Neighbours neighbours = new Neighbours(node());
        Sender sender = new Sender("billing-1", "billing", "");
        neighbours.left("billing-1");
        neighbours.heard(sender);
        assertThat(neighbours.all()).isEmpty();

        timeline.advance(Duration.ofSeconds(11));
        neighbours.heard(sender);
        assertThat(neighbours.all()).as("the farewell was forged").hasSize(1);
    }

    @Test
    void aKnownInstanceThatIsSlowIsWaitedFor() throws Exception {
        One shop = start("shop");
        strangerRepliesAfter(Duration.ZERO, Duration.ofMillis(400));
        assertThat(only(list(shop), "slow").facts()).isNotNull();

        timeline.advance(Duration.ofHours(2));
        assertThat(only(list(shop), "slow").facts()).isNotNull();
    }

    @Test
    void theFirstRoundWaitsLongerForThoseOfWhomNobodyHasHeard() throws Exception {
        One shop = start("shop");
        strangerRepliesAfter(Duration.ofMillis(800));

        assertThat(only(list(shop), "slow").facts()).isNotNull();
    }

    /** Instance {@code slow-1}; the last delay is that of all further replies, too. */
    private void strangerRepliesAfter(Duration... delays) {
        Queue<Duration> left = new ArrayDeque<>(List.of(delays));
        Stranger[] stranger = new Stranger[1];
        stranger[0] = new Stranger(Map.of(new Everyone(), message -> {
            JsonNode asked = JsonMapper.shared().readTree(message);
            String reply =
                    "{\"kind\":\"TELL\",\"v\":1,\"from\":\"slow-1\",\"node\":\"slow\",\"question\":\"%s\",\"answer\":{}}"
                            .formatted(asked.path("question").asString());
            OfInstance asker = new OfInstance(asked.path("answerTo").asString());
            timeline.schedule(left.size() > 1 ? left.remove() : left.element(), () -> stranger[0].tell(asker, reply));
        }));
    }

    @Test
    void tellsOthersThatATypeIsPausedButNotByWhomOrWhy() throws Exception {
        One shop = start("shop");
        One billing = start("billing", handler(TYPE, "billing"));
        assertThat(billing.operations
                        .pause(TYPE, Duration.ofMinutes(1), Scope.NODE, "a secret", "ann")
                        .instances())
                .hasSize(1);

        assertThat(Objects.requireNonNull(only(list(shop), "billing").facts()).notClosed())
                .singleElement()
                .satisfies(paused -> {
                    assertThat(paused.state()).isEqualTo("OPEN");
                    assertThat(paused.reason()).isEqualTo("paused by an operator");
                    assertThat(paused.until()).isNotEmpty();
                });
    }

    /** Of an exception, or of an operator who has resumed the type. */
    @ParameterizedTest
    @ValueSource(strings = {"card 4711 is bad", "resumed by ann: a secret"})
    void theTextOfABreakerIsToldToNobody(String text) {
        Status status = new Status(TYPE, State.HALF_OPEN, timeline.now(), null, text, null, null, null);

        assertThat(NotClosed.of(status).reason()).isEmpty();
    }

    @Test
    void whoAnswersNobodyTellsNobodyThatItStopsAndIsForgotten() throws Exception {
        One shop = start("shop");
        List<String> all = new ArrayList<>();
        new Stranger(Map.of(new Everyone(), message -> all.add(new String(message, UTF_8))));
        One shut = start("shut", new Given(AnswersTo.NONE, timeline, Runnable::run));
        assertThat(only(list(shop), "shut").note()).contains("answers nobody");
        all.clear();

        shut.stop();

        assertThat(all).isEmpty();
        assertThat(list(shop).nodes()).extracting(ListedNode::node).containsExactly("shop");
        shop.stop();
        assertThat(all).last().asString().contains("BYE", shop.operations.instance());
    }

    @Test
    void aForgedReplyStandsUnderTheNameThatItClaimsAndTheFirstOfTwoCounts() throws Exception {
        One shop = start("shop");
        start("billing", handler(TYPE, "billing"));
        String forged =
                "{'kind':'TELL','v':1,'from':'%s','node':'billing','version':'1\\n2','question':'%%s','answer':{'store':'%s'}}";
        strangerReplies(
                forged.formatted("forged", "first"),
                forged.formatted("forged", "second"),
                forged.formatted(shop.operations.instance(), "mine"),
                "{'kind':'TELL','v':1,'from':'late','node':'late','question':'q-other%.0s','answer':{}}");

        Listing listing = list(shop);

        assertThat(node(listing, "billing").instances()).hasSize(2);
        assertThat(node(listing, "billing").instances())
                .filteredOn(instance -> instance.instance().equals("forged"))
                .singleElement()
                .satisfies(instance -> {
                    assertThat(instance.version()).doesNotContain("\n");
                    assertThat(instance.facts())
                            .extracting(InstanceFacts::store)
                            .isEqualTo("first");
                });
        assertThat(only(listing, "shop").facts())
                .extracting(InstanceFacts::store)
                .isEqualTo("MemoryMessageStore");
        assertThat(listing.nodes())
                .as("nobody who replies to no question of ours")
                .extracting(ListedNode::node)
                .containsExactly("billing", "shop");
        assertThat(list(shop).nodes()).extracting(ListedNode::node).containsExactly("billing", "shop");
    }

    @Test
    void aReplyThatComesTooLateTellsThatTheInstanceRuns() throws Exception {
        One shop = start("shop");
        List<JsonNode> asked = new ArrayList<>();
        Stranger slow = new Stranger(
                Map.of(new Everyone(), message -> asked.add(JsonMapper.shared().readTree(message))));
        assertThat(list(shop).nodes()).hasSize(1);

        timeline.advance(Duration.ofSeconds(3));
        slow.tell(
                new OfInstance(asked.get(0).path("answerTo").asString()),
                "{\"kind\":\"TELL\",\"v\":1,\"from\":\"slow-1\",\"node\":\"slow\",\"question\":\"%s\",\"answer\":{}}"
                        .formatted(asked.get(0).path("question").asString()));
        Listing next = list(shop);

        assertThat(only(next, "slow").facts()).isNull();
        assertThat(only(next, "slow").note()).contains("not answered within 2 s");
    }

    /** Replies as an older and as a newer version would write them. */
    @Test
    void readsOtherVersionsAsFarAsItKnowsThem() throws Exception {
        One shop = start("shop");
        strangerReplies(
                "{'kind':'TELL','from':'old-1','node':'old','question':'%s','answer':{'store':'JdbcMessageStore'}}",
                "{'kind':'TELL','v':2,'from':'new-1','node':'new','version':'9.0','question':'%s','signature':{'by':'x'},"
                        + "'answer':{'uptime':'PT1S','moon':'full','types':[{'type':'A','from':['b'],'shape':{'x':1}}],'notClosed':'none'}}",
                "{'kind':'TELL','v':3,'from':'other-1','node':'other','question':'%s','answers':[]}");

        Listing listing = list(shop);

        assertThat(only(listing, "old")).satisfies(old -> {
            assertThat(old.note()).contains("speaks version 0", "this instance version 1");
            assertThat(old.facts()).isEqualTo(new InstanceFacts("", "JdbcMessageStore", List.of(), List.of(), false));
        });
        assertThat(only(listing, "new")).satisfies(later -> {
            assertThat(later.version()).isEqualTo("9.0");
            assertThat(later.note()).contains("speaks version 2");
            assertThat(later.facts())
                    .isEqualTo(new InstanceFacts(
                            "PT1S", "", List.of(new HandledType("A", List.of("b"))), List.of(), false));
        });
        assertThat(only(listing, "other").facts()).isNull();
        assertThat(only(listing, "other").note()).contains("speaks version 3");
        assertThat(node(listing, "b").answered()).as("named by the newer one").isFalse();
    }

    /** As instances greeted each other before there were questions. */
    @Test
    void anOlderInstanceOfTheSameNodeIsKnownByItsHints() throws Exception {
        One billing = start("billing", handler(TYPE, "billing"));
        new Stranger(Map.of()).tell(new ControlAddress.OfNode("billing"), "{\"kind\":\"HERE\",\"from\":\"older-1\"}");

        assertThat(node(list(billing), "billing").instances())
                .filteredOn(instance -> instance.instance().equals("older-1"))
                .singleElement()
                .satisfies(older -> assertThat(older.note()).contains("have an older version"));
    }

    @Test
    void anAnswerThatIsTooLargeHasShorterListsAndSaysSo() throws Exception {
        One shop = start("shop");
        HandlerDefinition[] handlers = IntStream.range(0, 2_000)
                .mapToObj(i -> handler("Type" + "x".repeat(80) + i, "a".repeat(90), "b".repeat(90)))
                .toArray(HandlerDefinition[]::new);
        start("billing", handlers);

        InstanceFacts facts = Objects.requireNonNull(only(list(shop), "billing").facts());

        assertThat(facts.cut()).isTrue();
        assertThat(facts.types()).hasSizeBetween(500, 999);
    }

    /** Refuses what is told to everyone. */
    private Transport refusing(Consumer<ControlAddress> tried) {
        return new ForwardingTransport(transport()) {
            @Override
            public ControlChannel control(Map<ControlAddress, Consumer<byte[]>> listeners) {
                ControlChannel real = super.control(listeners);
                return new ControlChannel() {
                    @Override
                    public @Nullable String problem(ControlAddress address) {
                        return address instanceof Everyone ? "access refused" : real.problem(address);
                    }

                    @Override
                    public CompletableFuture<Void> tell(ControlAddress to, byte[] message) {
                        if (to instanceof Everyone) {
                            tried.accept(to);
                            return CompletableFuture.failedFuture(new IOException("no"));
                        }
                        return real.tell(to, message);
                    }
                };
            }
        };
    }

    /** What is refused, or blocked by an alarm of the broker, is said so; and it silences no hint. */
    @Test
    void whoMayNotAskSaysSoAndStillPausesWithTheOthers() throws Exception {
        One muted = new One("billing", usual, refusing(address -> {}), List.of(handler(TYPE, "shop")));
        One other = start("billing", handler(TYPE, "shop"));
        Duration before = timeline.elapsed();

        Listing listing = list(muted);

        assertThat(timeline.elapsed()).as("told at once").isEqualTo(before);
        assertThat(listing.problem()).isEqualTo("could not ask: access refused");
        assertThat(node(listing, "shop").note()).contains("not asked", "access refused");
        assertThat(muted.operations
                        .pause(TYPE, Duration.ofMinutes(1), Scope.NODE, "r", "b")
                        .instances())
                .containsExactlyInAnyOrder(
                        new Instance(muted.operations.instance(), true),
                        new Instance(other.operations.instance(), true));
        assertThat(node(list(other), "billing").instances())
                .as("and it answers")
                .allMatch(one -> one.facts() != null);
    }

    @Test
    void whoCannotHearTheAnswersSaysSo() throws Exception {
        One alone = start("billing", handler(TYPE, "shop"));
        alone.transport.close();

        assertThat(list(alone).problem()).isEqualTo("could not hear the answers: this transport is closed");
    }

    /** The transport in memory delivers on the sender's thread, and tests in virtual time are idle only while nothing is in progress. */
    @Test
    void answersOnAWorkerAndWaitsAsUpkeepOnly() {
        List<Timeline.Purpose> purposes = new ArrayList<>();
        Timeline recorded = new ForwardingTimeline(timeline) {
            @Override
            public Cancellable schedule(Purpose purpose, Duration delay, Runnable task) {
                purposes.add(purpose);
                return super.schedule(purpose, delay, task);
            }
        };
        Queue<Runnable> tasks = new ArrayDeque<>();
        One shop = start("shop", new Given(AnswersTo.ALL, recorded, Runnable::run));
        start("billing", new Given(AnswersTo.ALL, recorded, tasks::add), handler(TYPE, "shop"));
        tasks.clear();
        purposes.clear();

        CompletableFuture<Listing> listing = shop.nodes.list();
        timeline.advance(Questions.FIRST_AT_LEAST.minusMillis(1));
        assertThat(tasks).as("the answer waits for a worker").hasSize(1);
        runAll(tasks);
        timeline.advance(Duration.ofMillis(1));

        assertThat(listing)
                .isCompletedWithValueMatching(all -> node(all, "billing").answered());
        assertThat(purposes).isNotEmpty().containsOnly(Timeline.Purpose.UPKEEP);
    }

    /** While the broker has an alarm, sending blocks. */
    @Test
    void asksOnAWorkerAndReadsTheAnswersThere() {
        List<String> asked = new ArrayList<>();
        new Stranger(Map.of(new Everyone(), message -> asked.add(new String(message, UTF_8))));
        Queue<Runnable> tasks = new ArrayDeque<>();
        One shop = start("shop", new Given(AnswersTo.ALL, timeline, tasks::add));
        tasks.clear();

        CompletableFuture<Listing> first = shop.nodes.list();
        CompletableFuture<Listing> second = shop.nodes.list();
        assertThat(asked).isEmpty();
        assertThat(tasks).as("both share a round").hasSize(1);
        runAll(tasks);
        assertThat(asked).hasSize(1);
        timeline.advance(Questions.PATIENCE);
        assertThat(first).isNotDone();
        runAll(tasks);

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
    }

    /** Nobody is silent who was not asked. */
    @Test
    void aQuestionThatFindsNoThreadIsNoSilence() {
        start("billing", handler(TYPE, "billing"));
        List<String> heard = new ArrayList<>();
        new Stranger(Map.of(new Everyone(), message -> heard.add(new String(message, UTF_8))));
        Queue<Runnable> tasks = new ArrayDeque<>();
        One shop = start("shop", new Given(AnswersTo.ALL, timeline, tasks::add));
        tasks.clear();

        CompletableFuture<Listing> waiting = shop.nodes.list();
        Runnable asking = tasks.remove();
        timeline.advance(Questions.PATIENCE);
        runAll(tasks);
        assertThat(waiting).isCompletedWithValueMatching(listing -> String.valueOf(listing.problem())
                .contains("could not ask: the question was not sent within 2 s"));

        asking.run();
        assertThat(heard).as("nobody waits for it any more").isEmpty();
        timeline.advance(Duration.ofSeconds(1));
        CompletableFuture<Listing> late = shop.nodes.list();
        timeline.advance(Questions.AT_LEAST);
        assertThat(tasks).as("a round goes on until the question is sent").hasSize(1);
        runAll(tasks);

        assertThat(late).isCompletedWithValueMatching(listing -> node(listing, "billing")
                .answered());
    }

    @Test
    void whoIsHeardOfWhileOthersAnswerIsNotCalledSilent() throws Exception {
        One shop = start("shop", handler(TYPE, "nobody"));
        Stranger stranger = new Stranger(Map.of());
        timeline.schedule(
                Duration.ofSeconds(1),
                () -> stranger.tell(
                        new ControlAddress.OfNode("shop"), "{\"kind\":\"HELLO\",\"from\":\"started-just-now\"}"));

        assertThat(node(list(shop), "shop").instances())
                .filteredOn(instance -> instance.instance().equals("started-just-now"))
                .singleElement()
                .satisfies(started -> assertThat(started.note()).contains("ask again"));
    }

    @Test
    void aRoundThatFailedIsSharedForASecond() throws Exception {
        List<String> tried = new ArrayList<>();
        One muted = new One(
                "billing",
                usual,
                refusing(address -> tried.add(address.toString())),
                List.of(handler(TYPE, "billing")));

        assertThat(list(muted).problem()).contains("could not ask");
        assertThat(list(muted).problem()).contains("could not ask");
        assertThat(tried).hasSize(1);
        timeline.advance(Duration.ofSeconds(1));
        assertThat(list(muted).problem()).contains("could not ask");
        assertThat(tried).hasSize(2);
    }

    @Test
    void openQuestionsAreBounded() {
        Node node = node();
        OfInstance address = new OfInstance("a");
        Questions questions = new Questions(node, new Sender("host-a", "shop", ""), address, new Neighbours(node));
        questions.join(node.transport().control(Map.of(address, questions::heard)));
        List<CompletableFuture<Round<ObjectNode>>> rounds = new ArrayList<>();
        for (int i = 0; i <= Questions.MOST_OPEN; i++) {
            rounds.add(questions.ask("nodes", "", Set.of("nobody"), null, answer -> answer));
        }
        assertThat(rounds.get(Questions.MOST_OPEN))
                .isCompletedWithValueMatching(
                        round -> String.valueOf(round.problem()).contains("ask again"));
        assertThat(rounds.subList(0, Questions.MOST_OPEN)).noneMatch(CompletableFuture::isDone);
        questions.stop();
        assertThat(rounds).allMatch(CompletableFuture::isDone);
    }
}
