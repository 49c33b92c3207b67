// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Names;
import io.safebunny.node.AnswersTo;
import io.safebunny.node.Node;
import io.safebunny.operations.questions.Heard.One;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.Everyone;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlChannel;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which nodes and instances there are on the broker: asks all of them, and tells those that ask of this one. What an instance says of itself
 * is not proven, and changes nothing here. Thread-safe.
 */
public final class Nodes {

    private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private static final String QUESTION = "nodes";
    private static final String UNREAD = "the answers could not be read: ask again";
    private static final ControlAddress EVERYONE = new Everyone();

    /** Of what a question is about, in characters. */
    public static final int LONGEST_ABOUT = Question.LONGEST_ABOUT;

    /** How long those who ask the same get the same answer. */
    public static final Duration SAME_ANSWER = Answering.SAME;

    /** How long a failed round is shared, so that nobody waits in line for an ill broker. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    /** Maximum number of nodes that are listed only because others name them. Any beyond it are probably forged. */
    static final int MOST_NAMED = 1_000;

    private final Node node;
    private final Sender self;
    private final Timeline timeline;
    private final Neighbours neighbours;
    private final Questions questions;
    private final Answering answering;
    private final Hearing hearing;
    private final OfInstance address;

    private volatile List<HandlerDefinition> handlers = List.of();
    private volatile long startedAt;
    private volatile ControlChannel control = ControlChannel.none();
    private @Nullable CompletableFuture<Listing> latest; // guarded by this
    private long askedAt; // guarded by this

    /** @param address where this instance listens for what is sent to it alone */
    public Nodes(Node node, Sender self, OfInstance address, Neighbours neighbours) {
        this.node = node;
        this.self = self;
        this.timeline = node.timeline();
        this.neighbours = neighbours;
        this.address = address;
        this.questions = new Questions(node, self, address, neighbours);
        this.answering = new Answering(node, self);
        this.hearing = new Hearing(node, self, neighbours);
        answers(QUESTION, (about, within) -> facts());
        this.startedAt = timeline.nanoTime();
    }

    /**
     * The nodes on the broker.
     *
     * @param asOf by the clock of the instance that asked
     * @param instance the one that asked
     * @param problem why others could not be asked or heard, for humans; {@code null} if they could, as far as is known
     * @param nodes by name
     */
    public record Listing(
            Instant asOf, String instance, @Nullable String problem, List<ListedNode> nodes) {}

    /**
     * One node.
     *
     * @param answered whether one of its instances has answered
     * @param note why nobody is known to answer, for humans; {@code null} if somebody has answered, or its instances say why
     * @param instances by name; empty if none was heard of within a day
     */
    public record ListedNode(
            String node, boolean answered, @Nullable String note, List<ListedInstance> instances) {}

    /**
     * One instance.
     *
     * @param version of SafeBunny; empty if unknown
     * @param lastHeard by the clock of the instance that asked
     * @param note why it has not answered, or what its answer may lack, for humans; {@code null} if there is nothing to say
     * @param facts what it says of itself; {@code null} if it has not answered
     */
    public record ListedInstance(
            String instance,
            String version,
            Instant lastHeard,
            @Nullable String note,
            @Nullable InstanceFacts facts) {}

    /** Of this instance; empty if unknown, or if it tells nobody. */
    public String version() {
        return self.version();
    }

    /** Adds a question that others may ask. To be called before {@link #join}. */
    public void answers(String what, Answer answer) {
        answering.answers(what, answer);
    }

    /**
     * Adds a question that the other instances of this node may ask with {@link #askSiblings}. One about another node is neither answered nor
     * counted, so it leaves the answers of a second to others. To be called before {@link #join}.
     */
    public void answersSiblings(String what, Answer answer) {
        answering.answers(what, self.node()::equals, answer);
    }

    /**
     * Adds a question about something of this node, which others may ask with {@link #askNamed}. One to another node is neither answered nor
     * counted. As such questions come in long rows, two of them are answered in a second, and those beyond are told that this instance is busy:
     * so there is always an answer for others. To be called before {@link #join}.
     */
    public void answersNamed(String what, Answer answer) {
        String named = self.node() + '\n';
        answering.answersSome(what, about -> about.startsWith(named), answer);
    }

    /** Where this instance listens, whatever it handles, and what is to be called there; that does not block. */
    public Map<ControlAddress, Consumer<byte[]>> listeners() {
        return Map.of(EVERYONE, this::heardByAll, address, questions::heard);
    }

    /** @param handled what the node handles; empty if it only publishes */
    public void join(ControlChannel channel, List<HandlerDefinition> handled) {
        handlers = List.copyOf(handled);
        startedAt = timeline.nanoTime();
        control = channel;
        answering.join(channel);
        questions.join(channel);
    }

    /** Neither asks nor answers any more. */
    public void leave() {
        answering.stop();
        questions.stop();
    }

    /** Tells the instances of all nodes that this one stops, unless it answers nobody. */
    public void sayGoodbye() {
        if (node.options().answersTo() != AnswersTo.NONE && control.problem(EVERYONE) == null) {
            CompletableFuture<Void> unused = control.tell(EVERYONE, new Farewell(self).write(JSON))
                    .whenComplete((none, failure) -> {
                        if (failure != null) {
                            LOG.debug("Could not tell other nodes that this instance stops", failure);
                        }
                    });
        }
    }

    private void heardByAll(byte[] bytes) {
        Question question = Question.parse(bytes, JSON);
        if (question != null) {
            answering.heard(question);
            return;
        }
        Farewell farewell = Farewell.parse(bytes, JSON);
        if (farewell != null) {
            neighbours.left(farewell.from().instance());
        }
    }

    /**
     * Asks all instances on the broker, without blocking. Requests made while a round is open, or within a second after one that could not
     * ask, share it.
     *
     * @return completes within about two seconds, on a worker, never exceptionally
     */
    public synchronized CompletableFuture<Listing> list() {
        CompletableFuture<Listing> shared = latest;
        if (shared == null || (shared.isDone() && !hasJustFailed(shared))) {
            askedAt = timeline.nanoTime();
            shared = heard(QUESTION, "", null, InstanceFacts::read, "runs a version that cannot say so")
                    .thenApply(this::listing)
                    .exceptionally(this::unread);
            latest = shared;
        }
        return shared.copy();
    }

    private boolean hasJustFailed(CompletableFuture<Listing> done) {
        return done.join().problem() != null && timeline.nanoTime() - askedAt < AFTER_FAILURE.toNanos();
    }

    private Listing unread(Throwable failure) {
        LOG.debug("Could not list the nodes", node.log().tellable(failure));
        return new Listing(timeline.now(), self.instance(), UNREAD, List.of());
    }

    /**
     * Asks all instances on the broker, without blocking.
     *
     * @param about what the question is about; at most 1024 characters
     * @param awaited names of the instances that are waited for, because they have answered a moment ago; {@code null} for all that were heard
     *     within a day or should be there
     * @param reader takes what is needed of an answer, or gives {@code null} if it cannot be read; must be quick
     * @param unable what an instance does that does not know the question, such as {@code runs a version that cannot count}
     * @return completes within about two seconds, on a worker, never exceptionally
     */
    public <A> CompletableFuture<Heard<A>> ask(
            String what,
            String about,
            @Nullable Set<String> awaited,
            Function<ObjectNode, @Nullable A> reader,
            String unable) {
        return heard(what, about, awaited, reader, unable).exceptionally(this::unheard);
    }

    private <A> Heard<A> unheard(Throwable failure) {
        LOG.debug("Could not read the answers of other instances", node.log().tellable(failure));
        return new Heard<>(UNREAD, List.of());
    }

    /** Names of the other instances of this node that gave a sign of life within three leases. */
    public Set<String> siblings() {
        return neighbours.heardLately(self.node());
    }

    /**
     * Asks the other instances of this node, as {@link #ask} does all, about its name. Those that gave no sign of life within three leases are
     * neither waited for nor told of: they have probably died.
     */
    public <A> CompletableFuture<Heard<A>> askSiblings(
            String what, Function<ObjectNode, @Nullable A> reader, String unable) {
        return ask(what, self.node(), siblings(), reader, unable).thenApply(this::ofSiblings);
    }

    /**
     * Asks one node, as {@link #ask} does all: one of its instances is waited for, and told of.
     *
     * @param about its name, and in lines of their own what the question is about; at most {@link #LONGEST_ABOUT} characters
     */
    public <A> CompletableFuture<Heard<A>> askNamed(
            String name, String what, String about, Function<ObjectNode, @Nullable A> reader, String unable) {
        long now = timeline.nanoTime();
        return questions
                .ask(what, about, Set.of(name), Set.of(), reader)
                .thenApplyAsync(round -> hearing.of(round, now, Set.of(name), unable), node.workers())
                .exceptionally(this::unheard)
                .thenApply(heard -> new Heard<>(
                        heard.problem(),
                        heard.instances().stream()
                                .filter(one -> one.node().equals(name))
                                .toList()));
    }

    private <A> Heard<A> ofSiblings(Heard<A> heard) {
        Instant lately = timeline.now().minus(neighbours.lately());
        List<One<A>> siblings = heard.instances().stream()
                .filter(one -> one.node().equals(self.node()))
                .filter(one -> one.lastHeard() != null && !one.lastHeard().isBefore(lately))
                .toList();
        return new Heard<>(heard.problem(), siblings);
    }

    private <A> CompletableFuture<Heard<A>> heard(
            String what,
            String about,
            @Nullable Set<String> awaited,
            Function<ObjectNode, @Nullable A> reader,
            String unable) {
        long now = timeline.nanoTime();
        Set<String> expected = senders();
        return questions
                .ask(what, about, awaited == null ? expected : Set.of(), awaited, reader)
                .thenApplyAsync(round -> hearing.of(round, now, expected, unable), node.workers());
    }

    /** The other nodes whose messages this one handles; its sagas' participants are among them. */
    private Set<String> senders() {
        Set<String> senders = handlers.stream()
                .flatMap(handler -> handler.from().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        senders.remove(node.name());
        return senders;
    }

    private ObjectNode facts() {
        MessageStore store = node.parts().store();
        Duration uptime = Duration.ofNanos(timeline.nanoTime() - startedAt);
        ObjectNode facts = JSON.createObjectNode()
                .put("uptime", uptime.truncatedTo(ChronoUnit.SECONDS).toString())
                .put("store", store == null ? "none" : store.getClass().getSimpleName());
        ArrayNode types = facts.putArray("types");
        for (HandlerDefinition handler : handlers) {
            ArrayNode from = types.addObject().put("type", handler.type()).putArray("from");
            handler.from().forEach(sender -> from.add(sender));
        }
        ArrayNode notClosed = facts.putArray("notClosed");
        node.breakers().statuses().values().stream()
                .filter(status -> status.state() != State.CLOSED)
                .forEach(status -> InstanceFacts.NotClosed.of(status).writeTo(notClosed.addObject()));
        return facts;
    }

    private Listing listing(Heard<InstanceFacts> heard) {
        Instant now = timeline.now();
        Map<String, List<ListedInstance>> byNode = new TreeMap<>();
        Set<String> answered = new HashSet<>(Set.of(self.node()));
        add(
                byNode,
                self.node(),
                new ListedInstance(self.instance(), self.version(), now, null, InstanceFacts.read(facts())));
        for (One<InstanceFacts> one : heard.instances()) {
            Instant lastHeard = one.lastHeard();
            if (lastHeard == null) { // no instance
                byNode.putIfAbsent(one.node(), List.of());
                continue;
            }
            if (one.answer() != null) {
                answered.add(one.node());
            }
            add(
                    byNode,
                    one.node(),
                    new ListedInstance(one.instance(), one.version(), lastHeard, one.note(), one.answer()));
        }
        named(byNode).stream().limit(MOST_NAMED).forEach(name -> byNode.putIfAbsent(name, List.of()));
        List<ListedNode> nodes = new ArrayList<>();
        byNode.forEach((name, instances) -> nodes.add(new ListedNode(
                name,
                answered.contains(name),
                instances.isEmpty() ? Hearing.neverHeard(heard.problem()) : null,
                instances.stream()
                        .sorted(Comparator.comparing(ListedInstance::instance))
                        .toList())));
        return new Listing(now, self.instance(), heard.problem(), nodes);
    }

    private static void add(Map<String, List<ListedInstance>> byNode, String node, ListedInstance instance) {
        byNode.computeIfAbsent(node, name -> new ArrayList<>()).add(instance);
    }

    /** The nodes whose messages those that have answered handle. */
    private static Set<String> named(Map<String, List<ListedInstance>> byNode) {
        Set<String> named = new TreeSet<>();
        for (List<ListedInstance> instances : byNode.values()) {
            for (ListedInstance instance : instances) {
                InstanceFacts facts = instance.facts();
                if (facts != null) {
                    facts.types().forEach(type -> named.addAll(type.from()));
                }
            }
        }
        named.removeIf(name -> !Names.isNode(name));
        return named;
    }
}
