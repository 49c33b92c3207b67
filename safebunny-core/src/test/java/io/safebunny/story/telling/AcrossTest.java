// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.operations.questions.Heard;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.store.MessageStore;
import io.safebunny.story.BunnyStory;
import io.safebunny.story.NodeStory;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Asked;
import io.safebunny.story.Story.Command;
import io.safebunny.story.exchange.SharedPart;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.Everyone;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The story of a saga of two nodes, asked for at one of them: the other tells its part over the broker. */
class AcrossTest {

    private static final String ID = "order-1";
    private static final String SECRET = "4111-1111";
    private static final JsonMapper JSON = JsonMapper.shared();

    record PlaceOrder(String card) {}

    record Capture(String card) {}

    record Captured(String order) {}

    record State(String card) {}

    @BunnySaga
    static class OrderSaga {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(PlaceOrder placed, SagaContext saga) {
            saga.step("pay", new Capture(placed.card()));
            return new State(placed.card());
        }

        @BunnyHandler(from = "billing")
        void on(Captured captured, State state, SagaContext saga) {
            saga.complete();
        }
    }

    private final SagaWorld world = new SagaWorld();
    private HandlerInvoker capturing = (payload, context) -> {};

    private final List<Duration> searches = new ArrayList<>();
    private Duration searchTakes = Duration.ZERO;

    /** As one that other instances read, too. */
    private final class Slow extends ForwardingMessageStore {
        Slow(MessageStore store) {
            super(store);
        }

        @Override
        public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
            searches.add(atMost);
            world.timeline.advance(searchTakes);
            return super.findCorrelationIds(messageId, limit, atMost);
        }
    }

    @BeforeEach
    void start() {
        world.worksWhileWaiting = true;
        world.start("storefront", List.of());
        world.start("orders", List.of(), new OrderSaga());
        startBilling();
    }

    private void startBilling() {
        world.start(
                "billing",
                new Slow(new MemoryMessageStore(world.timeline, Duration.ofDays(7))),
                List.of(SagaWorld.handler(
                        "orders", Capture.class, (payload, context) -> capturing.invoke(payload, context))));
    }

    private void place() {
        var unused = world.bunny("storefront")
                .publish(new PlaceOrder(SECRET), PublishOptions.none().withCorrelationId(ID));
        world.pass(Duration.ofSeconds(1)); // the broker's confirms are noted a moment later
    }

    private Story story(String node, String id) {
        return world.engine(node).get(BunnyStory.class).of(id);
    }

    private static String told(Story story) {
        return String.join(" ", story.sentences());
    }

    private static NodeStory part(Story story, String node) {
        return story.nodes().stream()
                .filter(part -> part.node().equals(node))
                .findFirst()
                .orElseThrow();
    }

    private static Asked asked(Story story, String node) {
        return story.asked().stream()
                .filter(one -> one.node().equals(node))
                .findFirst()
                .orElseThrow();
    }

    private String command(Story story) {
        return part(story, "orders").sagas().get(0).steps().get(0).messageId();
    }

    @Test
    void aSagaThatWaitsSaysWhatTheOtherNodeHasTriedAndWhenItTriesAgain() {
        capturing = (payload, context) -> {
            throw new IllegalStateException("card " + SECRET);
        };
        place();
        world.pass(Duration.ofSeconds(10));

        Story story = story("orders", ID);
        assertThat(told(story))
                .isEqualTo(
                        "OrderSaga order-1 of orders has been active since 00:00:00Z. It last changed at 00:00:00Z. Of what it takes, it has not taken these yet: `Captured` from billing; what comes more than once is not in this list. Its latest step is pay: `Capture` (%1$s). This type is not paused at instance %2$s of orders. billing has failed to handle `Capture` (%1$s) twice; the last attempt failed at 00:00:10Z (IllegalStateException; ask billing for its text). The next attempt is due at 00:00:20Z. Its type is not paused at instance %3$s of billing. orders has handled one message of it: `PlaceOrder`."
                                .formatted(
                                        command(story),
                                        asked(story, "orders").instance(),
                                        asked(story, "billing").instance()));
        assertThat(story.next())
                .filteredOn(command -> command.node().equals("billing"))
                .extracting(Command::curl)
                .anyMatch(curl -> curl.endsWith("/safebunnystory/order-1\""));
        assertThat(story("billing", ID).next())
                .filteredOn(command -> command.node().equals("billing"))
                .extracting(Command::curl)
                .noneMatch(curl -> curl.contains("safebunnystory"));
        assertThat(story.problem()).isNull();
        assertThat(story.nodes()).extracting(NodeStory::node).containsExactly("orders", "billing", "storefront");
        assertThat(story.asked()).extracting(Asked::node).containsExactly("billing", "orders", "storefront");
        assertThat(story.asked()).allMatch(Asked::answered);
        assertThat(story.toMermaid()).contains("participant n1 as billing", "n0->>n1: 2026-01-01T00");
        assertThat(JSON.writeValueAsString(story)).doesNotContain(SECRET);
        assertThat(JSON.writeValueAsString(story("billing", ID))).contains(SECRET); // its own part has its texts
    }

    @Test
    void aSagaWhoseAnswerIsOnItsWaySaysSo() {
        capturing = (payload, context) -> {
            var unused = world.bunny("billing").publish(new Captured("1"));
        };
        var unused = world.engine("orders")
                .get(BunnyOperations.class)
                .pause("Captured", Duration.ofHours(1), Scope.INSTANCE, "stock is counted", "ann");
        place();

        Story story = story("storefront", ID);
        assertThat(told(story))
                .contains(
                        "billing has handled `Capture`",
                        "It has published `Captured` (",
                        "Published, but no node that has answered has a record of: `Captured` (",
                        ") of billing. Each waits for its first delivery",
                        "`Captured` has been paused since 00:00:00Z, until 01:00:00Z, by an operator (ask orders why), at instance ")
                .doesNotContain("stock is counted", "ann,")
                .containsOnlyOnce("`Captured` has been paused");
        assertThat(told(story("orders", ID))).contains("by ann (\"stock is counted\")");
    }

    @Test
    void aPauseThatHoldsAFirstDeliveryIsFound() {
        var unused = world.engine("billing")
                .get(BunnyOperations.class)
                .pause("Capture", Duration.ofHours(1), Scope.INSTANCE, "the bank is closed", "ann");
        place();

        Story story = story("orders", ID);
        assertThat(told(story))
                .contains(
                        "Its latest step is pay: `Capture` (%s), of which no node that has answered has a record."
                                .formatted(command(story)),
                        "`Capture` has been paused since 00:00:00Z, until 01:00:00Z, by an operator (ask billing why), at instance %s of billing."
                                .formatted(asked(story, "billing").instance()))
                .doesNotContain("bank");
        assertThat(story.next())
                .filteredOn(command -> command.node().equals("billing"))
                .extracting(Command::curl)
                .anyMatch(curl -> curl.contains("/safebunny/breakers/Capture"));
    }

    @Test
    void theStoryIsTheSameWhicheverNodeIsAsked() {
        capturing = (payload, context) -> {
            throw new IllegalStateException("down");
        };
        place();

        List<String> orders = story("orders", ID).sentences();
        List<String> storefront = story("storefront", ID).sentences();
        assertThat(storefront).containsExactlyInAnyOrderElementsOf(orders);
    }

    /** Only billing has a record of the message itself. */
    @Test
    void aMessageOfAnotherNodeLeadsToItsCorrelation() {
        place();
        Story story = story("orders", command(story("orders", ID)));

        assertThat(told(story))
                .contains("OrderSaga order-1 of orders has been active", "billing has handled `Capture`");
        assertThat(story.next()).extracting(Command::curl).noneMatch(curl -> curl.contains("safebunnystory"));
        assertThat(told(story)).doesNotContain("were asked for", "no node that has answered");
    }

    /** The same, if there was no time to ask for the correlation id. */
    @Test
    void whatOthersWereNotAskedForIsNotSaidToBeUnknown() {
        capturing = (payload, context) -> {
            var unused = world.bunny("billing").publish(new Captured("1"));
        };
        place();
        StoryTeller teller = world.engine("orders").get(StoryTeller.class);
        String started = part(story("orders", ID), "orders").messages().stream()
                .filter(message -> message.type().equals("PlaceOrder"))
                .findFirst()
                .orElseThrow()
                .id();
        Heard<SharedPart> nothing = new Heard<>(
                null, List.of(new Heard.One<>("billing", "b-1", "", world.timeline.now(), null, emptyPart())));

        Story story = teller.told(started, teller.gathered(teller.own(started), nothing));
        assertThat(told(story))
                .contains(
                        "Other nodes were asked for %s only, and not for its correlation id order-1".formatted(started))
                .doesNotContain("no node that has answered");
        assertThat(story.next()).extracting(Command::curl).anyMatch(curl -> curl.endsWith("/safebunnystory/order-1\""));
    }

    private SharedPart emptyPart() {
        NodeStory part = new NodeStory(
                "billing",
                "b-1",
                world.timeline.now(),
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                false);
        return new SharedPart(part, true);
    }

    // ---- searches

    @Test
    void aCorrelationIdIsSearchedForNowhere() {
        place();
        story("orders", ID);
        story("storefront", ID);

        assertThat(searches).isEmpty();
    }

    @Test
    void whatIsSearchedForOthersEndsInTimeAndTakesATenthOfItAtMost() {
        searchTakes = Duration.ofMillis(800);
        assertThat(told(story("orders", "nobody"))).contains("Nothing is known of nobody at orders, billing");
        assertThat(searches).hasSize(1).allMatch(atMost -> atMost.compareTo(Duration.ofSeconds(1)) <= 0);

        assertThat(told(story("orders", "another")))
                .contains(
                        "It could not be found out whether billing knows another: records with this message id: not looked at: searches for other nodes take a tenth of the time at most.");
        assertThat(searches).hasSize(1);
        world.pass(Duration.ofSeconds(8));
        story("orders", "another");
        assertThat(searches).hasSize(2);
    }

    @Test
    void aStoreThatTakesTooLongIsNoSilence() {
        searchTakes = Duration.ofSeconds(10);
        Duration before = world.timeline.elapsed();

        assertThat(told(story("orders", "nobody")))
                .contains(
                        "Nothing is known of nobody at orders and storefront. It could not be found out whether billing knows nobody: its latest answer: could not find its answer in time: its store may be slow or away");
        assertThat(world.timeline.elapsed().minus(before))
                .isGreaterThan(Duration.ofSeconds(10)); // one thread does it all
    }

    // ---- silence

    @Test
    void aNodeThatIsSilentIsNamedWithWhenItWasHeard() {
        story("orders", ID);
        world.pass(Duration.ofMinutes(5));
        world.cutOff("billing");
        place();

        Story story = story("orders", ID);
        assertThat(told(story))
                .contains(
                        "What billing knows is missing here: %s has not answered within 2 s: it may have stopped without a word, or is cut off from the broker (last heard at 00:00:01Z)."
                                .formatted(asked(story, "billing").instance()));
        assertThat(asked(story, "billing").answered()).isFalse();
        assertThat(story.next())
                .extracting(Command::curl)
                .anyMatch(curl -> curl.endsWith("/safebunny/nodes/billing\""));
    }

    /** Its step may have been skipped there, as done by hand. */
    @Test
    void aCommandWhoseSagaIsSilentIsNotReplayedAsUsual() {
        capturing = (payload, context) -> {
            throw new PoisonMessageException("no such card");
        };
        place();
        story("billing", ID);
        world.cutOff("orders");

        Story story = story("billing", ID);
        assertThat(told(story))
                .contains("Whether a saga still waits for it is not known, because orders has not told all.");
        assertThat(story.next())
                .filteredOn(command -> command.curl().contains("replay\""))
                .singleElement()
                .extracting(Command::why)
                .asString()
                .startsWith("only if nobody has had it done in another way: orders has not told all. ");
    }

    @Test
    void aNodeThatShouldBeThereAndWasNeverHeardIsNamed() {
        world.stop("billing");
        place();

        for (String node : List.of("orders", "storefront")) {
            Story story = story(node, ID);
            assertThat(told(story)).contains("What billing knows is missing here: ");
            assertThat(asked(story, "billing").instance()).isEmpty();
        }
    }

    @Test
    void ifNobodyCouldBeAskedTheStorySaysSoFirst() {
        place();
        StoryTeller teller = world.engine("orders").get(StoryTeller.class);
        Story story = teller.told(
                ID,
                teller.gathered(
                        teller.own(ID),
                        new Heard<>(
                                "could not ask: ACCESS_REFUSED",
                                List.of(new Heard.One<>("billing", "", "", null, "not asked, or not heard", null)))));

        assertThat(story.sentences().get(0))
                .isEqualTo(
                        "Other nodes could not be asked, or not be heard, so nobody knows what they know, and this is what orders knows: could not ask: ACCESS_REFUSED.");
        assertThat(story.sentences()).contains("Not asked, or not heard: billing.");
        assertThat(story.problem()).isEqualTo("could not ask: ACCESS_REFUSED");
    }

    @Test
    void anIdThatNobodyKnowsIsUnknownToAllThatHaveAnswered() {
        assertThat(told(story("orders", "nobody")))
                .startsWith("Nothing is known of nobody at orders, billing and storefront.")
                .contains("It may be too old")
                .doesNotContain("another node", "have not answered");
        story("orders", ID);
        world.cutOff("billing");
        assertThat(told(story("orders", "nobody")))
                .contains("It may be known to those that have not answered", "What billing knows is missing here");
    }

    // ---- others on the broker

    /** Replies to each question, and keeps what it hears. */
    private List<JsonNode> stranger(String node, String... replies) {
        List<JsonNode> heard = new ArrayList<>();
        ControlChannel[] channel = new ControlChannel[1];
        Map<ControlAddress, Consumer<byte[]>> listeners = Map.of(
                new Everyone(),
                message -> {
                    JsonNode asked = JSON.readTree(message);
                    for (String reply : replies) {
                        tell(
                                channel[0],
                                new OfInstance(asked.path("answerTo").asString()),
                                "{'kind':'TELL','v':1,'from':'%s-1','node':'%s','version':'0.9','question':'%s',%s}"
                                        .formatted(
                                                node,
                                                node,
                                                asked.path("question").asString(),
                                                reply));
                    }
                },
                new OfInstance("57a46e12"),
                message -> heard.add(JSON.readTree(message)));
        channel[0] = new MemoryTransport(world.broker, TopologyOptions.defaults()).control(listeners);
        return heard;
    }

    private static void tell(@Nullable ControlChannel channel, ControlAddress to, String json) {
        if (channel != null) {
            var unused = channel.tell(to, json.replace('\'', '"').getBytes(UTF_8));
        }
    }

    @Test
    void aNodeOfAnOlderVersionIsSaidToBeUnableToTell() {
        stranger("archive", "'refused':'unknown'");

        Story story = story("orders", ID);
        assertThat(told(story))
                .contains("What archive knows is missing here: archive-1 runs a version that cannot tell stories.");
        assertThat(asked(story, "archive").version()).isEqualTo("0.9");
    }

    @Test
    void whatAnotherNodeForgesIsTextUnderItsOwnName() {
        stranger(
                "evil",
                "'answer':{'part':{'node':'orders','instance':'orders-1','asOf':'2026-01-01T00:00:00Z','foundAs':'correlation id','correlationIds':['order-1'],'messages':[{'id':'a\\\"; rm','correlationId':'c','type':'T\\nx','state':'SET_ASIDE','failures':[{'at':'2026-01-01T00:00:00Z','exception':'x'}]}]}}");
        place();

        Story story = story("orders", ID);
        assertThat(part(story, "evil").instance()).isEqualTo("evil-1");
        assertThat(part(story, "orders").messages())
                .extracting(NodeStory.Message::type)
                .containsExactly("PlaceOrder");
        assertThat(told(story)).contains("evil has set `T").doesNotContain("\n");
        assertThat(story.next()).extracting(Command::curl).noneMatch(curl -> curl.contains("; rm"));
    }

    @Test
    void whatCannotBeReadIsSaidToBeMissing() {
        stranger("odd", "'answer':{'part':7}");

        assertThat(told(story("orders", ID)))
                .contains("What odd knows is missing here: odd-1 its answer cannot be read");
    }

    @Test
    void aQuestionForAnInvalidIdIsNotAnsweredWithAStory() {
        List<JsonNode> heard = stranger("spy");
        ControlChannel channel = new MemoryTransport(world.broker, TopologyOptions.defaults()).control(Map.of());
        for (String about : List.of("' '", "''", "'" + "x".repeat(1_025) + "'", "'\\ud83d'")) {
            tell(
                    channel,
                    new Everyone(),
                    "{'kind':'ASK','v':1,'from':'spy','node':'spy','version':'','answerTo':'57a46e12','question':'q','what':'story','about':%s}"
                            .formatted(about));
            world.pass(Duration.ofSeconds(2));
        }
        assertThat(heard)
                .isNotEmpty()
                .allMatch(reply -> reply.path("refused").asString("").equals("failed"));
    }

    @Test
    void oneIdIsAskedForOnceForAllWhoAskAndAnotherOneAnew() {
        place();
        StoryTeller orders = world.engine("orders").get(StoryTeller.class);
        CompletableFuture<Heard<SharedPart>> first = orders.ask(StoryTeller.QUESTION, ID, null);
        assertThat(orders.ask(StoryTeller.QUESTION, ID, null)).isSameAs(first);
        assertThat(orders.ask(StoryTeller.QUESTION, "other", null)).isNotSameAs(first);
        world.pass(Duration.ofSeconds(2));

        assertThat(first.join().instances())
                .filteredOn(one -> one.node().equals("billing"))
                .extracting(one ->
                        Objects.requireNonNull(one.answer()).part().messages().size())
                .containsExactly(1);
        assertThat(orders.ask(StoryTeller.QUESTION, ID, null)).isNotSameAs(first);
    }
}
