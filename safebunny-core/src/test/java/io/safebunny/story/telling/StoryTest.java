// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.ScheduledMessages;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.operations.questions.Heard;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.saga.Starts;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.story.BunnyStory;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Command;
import io.safebunny.story.Story.Event;
import io.safebunny.story.search.OwnPart;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** A saga of two nodes, at each point at which it may wait: both tell it in words, in order, and with what helps. */
class StoryTest {

    private static final String ID = "order-1";
    private static final String SECRET = "4111-1111";
    private static final JsonMapper JSON = JsonMapper.shared();

    record PlaceOrder(String card) {}

    record Capture(String card) {}

    record Refund(String card) {}

    record Captured(String order) {}

    record Declined(String order) {}

    record Note(String text) {}

    record State(String card) {}

    @BunnySaga
    static class OrderSaga {
        boolean failing;

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PlaceOrder placed, SagaContext saga) {
            saga.step("pay", new Capture(placed.card()), new Refund(placed.card()));
            saga.timeout("payment", Duration.ofMinutes(15));
            return new State(placed.card());
        }

        @BunnyHandler(from = "billing")
        void on(Captured captured, State state, SagaContext saga) {
            if (failing) {
                throw new PoisonMessageException("no such order");
            }
            saga.complete();
        }

        @BunnyHandler(from = "billing")
        void on(Declined declined, State state, SagaContext saga) {
            saga.fail("declined");
        }

        @OnTimeout("payment")
        void late(State state, SagaContext saga) {
            saga.fail("too late");
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();
    private final Away billingStore = new Away(new MemoryMessageStore(world.timeline, Duration.ofDays(7)));
    private HandlerInvoker capturing = (payload, context) -> {};
    private HandlerInvoker refunding = (payload, context) -> {};

    /** A store that may be away, or refuse to search. */
    private static final class Away extends ForwardingMessageStore {
        private boolean isAway;
        private boolean isLarge;

        Away(MessageStore store) {
            super(store);
        }

        private void require(boolean there) {
            if (!there) {
                throw new StoreUnavailableException("the test wants it", null, null);
            }
        }

        @Override
        public List<DatedRecord> findCorrelated(String correlationId, int limit) {
            require(!isAway);
            return super.findCorrelated(correlationId, limit);
        }

        @Override
        public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
            require(!isAway && !isLarge);
            return super.findCorrelationIds(messageId, limit, atMost);
        }
    }

    @BeforeEach
    void start() {
        world.start("storefront", List.of());
        world.start("orders", List.of(), orders);
        world.start(
                "billing",
                billingStore,
                List.of(
                        SagaWorld.handler(
                                "orders", Capture.class, (payload, context) -> capturing.invoke(payload, context)),
                        SagaWorld.handler(
                                "orders", Refund.class, (payload, context) -> refunding.invoke(payload, context)),
                        SagaWorld.handler("storefront", Note.class, (payload, context) -> {})));
    }

    private void place() {
        publish(new PlaceOrder(SECRET), ID);
    }

    private void publish(Object message, String correlationId) {
        var unused =
                world.bunny("storefront").publish(message, PublishOptions.none().withCorrelationId(correlationId));
        world.pass(Duration.ofSeconds(1)); // the broker's confirms are noted a moment later
    }

    private void reply(Object message) {
        capturing = (payload, context) -> {
            var unused = world.bunny("billing").publish(message);
        };
    }

    /** As this node alone knows it. */
    private Story story(String node, String id) {
        return Telling.of(id, world.timeline.now(), List.of(part(node, id)));
    }

    private NodeStory part(String node, String id) {
        StoryTeller teller = world.engine(node).get(StoryTeller.class);
        return teller.gathered(teller.own(id), new Heard<>(null, List.of()))
                .parts()
                .get(0);
    }

    private String told(String node, String id) {
        return String.join(" ", story(node, id).sentences());
    }

    private String command() {
        return part("orders", ID).sagas().get(0).steps().get(0).messageId();
    }

    private static List<String> curls(Story story) {
        return story.next().stream().map(Command::curl).toList();
    }

    private void pause(String node, String type) {
        var unused = world.engine(node)
                .get(BunnyOperations.class)
                .pause(type, Duration.ofHours(1), Scope.INSTANCE, "the gateway is down", "ops");
    }

    // ---- a saga

    @Test
    void anActiveSagaSaysForWhatItWaitsAndFromWhom() {
        place();
        world.pass(Duration.ofSeconds(90));

        assertThat(told("orders", ID))
                .isEqualTo(
                        "OrderSaga order-1 of orders has been active since 00:00:00Z. It last changed at 00:00:00Z. Of what it takes, it has not taken these yet: `Captured` and `Declined` from billing; what comes more than once is not in this list. Its latest step is pay: `Capture` (%s). None of these types is paused at instance %s of orders. Its timeout payment is due at 00:15:00Z. orders has handled one message of it: `PlaceOrder`."
                                .formatted(command(), part("orders", ID).instance()));
        assertThat(curls(story("orders", ID)))
                .containsExactly(
                        "curl -sS \"${ACTUATOR:-http://localhost:8080/actuator}/safebunny/nodes/billing\"",
                        "curl -sS \"${ACTUATOR:-http://localhost:8080/actuator}/safebunny/sagas/order-1\"");
    }

    @Test
    void aPauseThatHoldsASagaIsNamedWithWhatEndsIt() {
        place();
        pause("orders", "Captured");

        assertThat(told("orders", ID))
                .contains(
                        "`Captured` has been paused since 00:00:01Z, until 01:00:01Z, by ops (\"the gateway is down\"), at instance "
                                + part("orders", ID).instance() + " of orders.")
                .doesNotContain("is paused at");
        List<Command> next = story("orders", ID).next();
        assertThat(next)
                .extracting(Command::curl)
                .contains("curl -sS \"${ACTUATOR:-http://localhost:8080/actuator}/safebunny/breakers/Captured\"")
                .last()
                .isEqualTo(
                        "curl -sS -H 'Content-Type: application/json' -d '{\"state\":\"closed\",\"reason\":\"REASON\"}' \"${ACTUATOR:-http://localhost:8080/actuator}/safebunny/breakers/Captured\"");
        assertThat(next.get(next.size() - 1).why())
                .startsWith("once the reason of ops does not hold any more (\"the gateway is down\")");
    }

    @Test
    void aBlockedSagaNamesWhatItIsBlockedOn() {
        capturing = (payload, context) -> {
            throw new PoisonMessageException("no such card");
        };
        place();

        assertThat(told("orders", ID))
                .startsWith(
                        "OrderSaga order-1 of orders has waited for a repair since 00:00:00Z: billing has set aside `Capture` (%s), the command of step pay (handler-failed). That step does not go on until somebody repairs it"
                                .formatted(command()));
        assertThat(curls(story("orders", ID)).get(0)).contains("curl -sS \"", "/safebunnypoison/" + command());
        assertThat(story("orders", ID).next().get(0).node()).isEqualTo("billing");
        assertThat(curls(story("orders", ID))).anySatisfy(curl -> assertThat(curl)
                .contains("\"action\":\"retry\",\"saga\":\"OrderSaga\"", "safebunny/sagas/order-1"));
        assertThat(curls(story("orders", ID))).last().asString().contains("\"action\":\"fail\"");
    }

    @Test
    void aStuckSagaSaysSinceWhenAndWhy() {
        orders.failing = true;
        reply(new Captured("1"));
        place();

        StuckOn on = Objects.requireNonNull(part("orders", ID).sagas().get(0).stuckOn());
        assertThat(told("orders", ID))
                .contains(
                        "OrderSaga order-1 of orders has been stuck since 00:00:00Z on `Captured` (%s), which orders has set aside: PoisonMessageException: \"SB-3001 no such order\". It takes no other message until somebody repairs it. Its timeout payment is due at 00:15:00Z, but does not run until the saga goes on."
                                .formatted(on.messageId()))
                .doesNotContain("has not taken these yet", "aside at");

        world.pass(Duration.ofMinutes(16));
        Story late = story("orders", ID);
        assertThat(String.join(" ", late.sentences()))
                .contains(
                        "Its timeout payment was due at 00:15:00Z: it runs as soon as the saga goes on, unless `Captured` (%s), handled again, cancels it."
                                .formatted(on.messageId()),
                        "the alarm of a timeout that did not run");
        assertThat(late.timeline())
                .extracting(Event::what)
                .anyMatch(what -> what.startsWith("the alarm of a timeout that did not run ("));
        assertThat(late.timeline()).noneMatch(Event::expected);
    }

    /** Whoever pastes one after the other looks first, and gives up nothing before all else was tried. */
    @Test
    void aStuckSagaGetsLooksThenReplaysAndAtLastWhatEndsIt() {
        orders.failing = true;
        reply(new Captured("1"));
        place();
        String on = Objects.requireNonNull(part("orders", ID).sagas().get(0).stuckOn())
                .messageId();

        List<Command> next = story("orders", ID).next();
        assertThat(next)
                .extracting(command -> command.curl()
                        .replaceAll(".*-d '(.*)' .*/actuator}(.*)\"", "$1 $2")
                        .replaceAll(".*actuator}(.*)\"", "$1"))
                .containsExactly(
                        "/safebunnypoison/" + on,
                        "/safebunnypoison?poisonReason=saga-stuck&correlation=order-1",
                        "/safebunny/sagas/order-1?as=test",
                        "/safebunny/sagas/order-1",
                        "{\"action\":\"replay\",\"dryRun\":\"true\",\"reason\":\"REASON\"} /safebunnypoison/" + on,
                        "{\"action\":\"replay\",\"dryRun\":\"true\",\"reason\":\"REASON\",\"poisonReason\":\"saga-stuck\",\"correlation\":\"order-1\"} /safebunnypoison",
                        "{\"action\":\"resume\",\"saga\":\"OrderSaga\",\"reason\":\"REASON\"} /safebunny/sagas/order-1",
                        "{\"action\":\"fail\",\"saga\":\"OrderSaga\",\"reason\":\"REASON\"} /safebunny/sagas/order-1");
        assertThat(next.get(5).why())
                .endsWith(
                        "If \"verdicts\" in the answer has RUN, send it again without \"dryRun\". If it has ENDED with \"matched\" 0, there is none");
        assertThat(next.get(6).why())
                .endsWith(
                        "gives up `Captured` (%s), and the saga goes on as if it had never come. Its timeout payment then runs at 00:15:00Z, unless it is cancelled before: if that fails the saga, its steps are undone, which cannot be taken back"
                                .formatted(on));
    }

    @Test
    void aSagaThatCompensatesWaitsForTheAcknowledgement() {
        reply(new Declined("1"));
        refunding = (payload, context) -> {
            throw new IllegalStateException("the bank is closed");
        };
        place();

        assertThat(told("orders", ID))
                .contains(
                        "OrderSaga order-1 of orders failed (\"declined\") and undoes its steps. It has sent `Refund`, the undo of step pay, at 00:00:00Z, and waits for its acknowledgement; it last changed at 00:00:00Z.")
                .doesNotContain("paused");
        assertThat(curls(story("orders", ID)))
                .contains("curl -sS \"${ACTUATOR:-http://localhost:8080/actuator}/safebunny/nodes\"");
        assertThat(told("billing", ID)).contains("IllegalStateException: \"the bank is closed\"");

        world.pass(Duration.ofMinutes(1));
        assertThat(told("orders", ID))
                .contains(
                        "OrderSaga order-1 of orders failed (\"declined\"), and an undo was set aside: `Refund` of step pay. It waits until somebody repairs it; it last changed at 00:00:20Z.",
                        "billing has set `Refund`");
        assertThat(curls(story("orders", ID)))
                .anySatisfy(curl -> assertThat(curl).contains("\"action\":\"retry\""))
                .last()
                .asString()
                .contains("\"action\":\"skip\"", "\"step\":\"pay\"");
    }

    /** A participant that was barred before it got its step has done nothing. */
    @Test
    void whatWasBarredIsNotSaidToBeHandled() {
        place();
        NodeStory part = part("billing", ID);
        String capture = part.messages().get(0).id();
        Message barred = new Message(
                capture, ID, "", NodeStory.State.UNDONE, 0, null, world.timeline.now(), List.of(), List.of(), 0);
        Message handled = part.messages().get(0);

        assertThat(Telling.of(
                                ID,
                                world.timeline.now(),
                                List.of(
                                        TellingTest.with(part, List.of(barred)),
                                        TellingTest.with(part, List.of(handled))))
                        .sentences())
                .contains("billing has handled one message of it: `Capture`.")
                .anyMatch(sentence -> sentence.startsWith(
                        "billing does not handle message %s any more: the undo of its step had arrived there"
                                .formatted(capture)));
    }

    @Test
    void anEndedSagaSaysHowItEnded() {
        reply(new Captured("1"));
        place();
        assertThat(told("orders", ID))
                .startsWith("OrderSaga order-1 of orders completed; it last changed at 00:00:00Z.");

        reply(new Declined("1"));
        publish(new PlaceOrder(SECRET), "order-2");
        assertThat(told("orders", "order-2"))
                .startsWith(
                        "OrderSaga order-2 of orders failed (\"declined\"), and has ended, with one step undone; it last changed at 00:00:01Z.");
        assertThat(told("billing", "order-2")).contains("`Capture`").doesNotContain("not paused");
    }

    @Test
    void aTimeoutThatIsLateIsSaidToBe() {
        place();
        pause("orders", "BunnyTimeout");
        world.pass(Duration.ofMinutes(16));

        assertThat(told("orders", ID))
                .contains(
                        "The handling of timeouts has been paused since 00:00:01Z",
                        "Its timeout payment has been due since 00:15:00Z.");
        assertThat(story("orders", ID).timeline())
                .filteredOn(Event::expected)
                .extracting(Event::what)
                .contains("OrderSaga: timeout payment is overdue");
    }

    // ---- a message

    @Test
    void aMessageThatFailsTellsTheLastAttemptAndTheNextOne() {
        capturing = (payload, context) -> {
            throw new IllegalStateException("the gateway is down");
        };
        place();
        assertThat(told("billing", ID))
                .isEqualTo(
                        "billing has failed to handle `Capture` (%s) once; the last attempt failed at 00:00:00Z (IllegalStateException: \"the gateway is down\"). The next attempt is due at 00:00:10Z. Its type is not paused at instance %s of billing."
                                .formatted(command(), part("billing", ID).instance()));

        world.pass(Duration.ofSeconds(10));
        assertThat(told("billing", ID))
                .contains("twice; the last attempt failed at 00:00:10Z", "The next attempt is due at 00:00:20Z.");

        world.pass(Duration.ofSeconds(10));
        assertThat(told("billing", ID))
                .contains(
                        "billing has set `Capture` (%s) aside at 00:00:20Z, after 3 failed attempts, the last at 00:00:20Z (IllegalStateException: \"the gateway is down\")."
                                .formatted(command()));
        assertThat(curls(story("billing", ID)))
                .hasSize(2)
                .allMatch(curl -> curl.contains("/safebunnypoison/" + command()))
                .last()
                .asString()
                .contains("\"action\":\"replay\",\"dryRun\":\"true\"");
    }

    @Test
    void aMessageWhoseTypeIsPausedSaysSo() {
        capturing = (payload, context) -> {
            throw new IllegalStateException("the gateway is down");
        };
        place();
        pause("billing", "Capture");
        world.pass(Duration.ofSeconds(30));

        assertThat(told("billing", ID))
                .contains(
                        "The next attempt was due at 00:00:10Z: the message waits in its queue, unless it has got lost.",
                        "Its type has been paused since 00:00:01Z, until 01:00:01Z, by ops (\"the gateway is down\"), at instance ");
        assertThat(story("billing", ID).timeline())
                .filteredOn(event -> event.what().endsWith("is overdue again"))
                .extracting(Event::expected)
                .containsExactly(true);
        assertThat(curls(story("billing", ID)).get(0)).contains("/safebunny/breakers/Capture");
    }

    @Test
    void aMessageIsFoundByItsIdAlone() {
        reply(new Captured("1"));
        place();

        Story story = story("billing", command());
        assertThat(story.nodes().get(0).foundAs()).isEqualTo("message id");
        assertThat(story.nodes().get(0).correlationIds()).containsExactly(ID);
        assertThat(story.sentences().get(0))
                .isEqualTo("billing has handled `Capture` (%s) by 00:00:01Z.".formatted(command()));
        assertThat(story.sentences().get(1))
                .matches(
                        "It has published `Captured` \\(\\S+\\); nobody who was asked has a record that says handled\\.");
    }

    @Test
    void whatANodeHasPublishedToItselfIsSaidToBeHandled() {
        world.start(
                "self",
                List.of(
                        SagaWorld.handler("storefront", Note.class, (payload, context) -> {
                            var unused = world.bunny("self").publish(new Declined("1"));
                        }),
                        SagaWorld.handler("self", Declined.class, (payload, context) -> {})));
        publish(new Note("a"), "note-1");
        String id = part("self", "note-1").messages().stream()
                .filter(message -> message.type().equals("Note"))
                .findFirst()
                .orElseThrow()
                .id();

        assertThat(told("self", id))
                .containsPattern("It has published `Declined` \\(\\S+\\), which self has handled\\.");
    }

    @Test
    void aMessageIsFoundByTheKeyWithWhichAnotherNodePublishedIt() {
        Published published = world.bunny("storefront")
                .publish(new Note("a"), PublishOptions.none().withIdempotencyKey("note 42/ä"));
        world.settle();

        NodeStory part = part("billing", "note 42/ä");
        assertThat(part.foundAs()).isEqualTo("idempotency key");
        assertThat(part.correlationIds()).containsExactly(published.correlationId());
        assertThat(part.messages()).extracting(NodeStory.Message::id).containsExactly(published.messageId());
    }

    @Test
    void aScheduledMessageIsFoundByItsIdAndByItsSaga() {
        world.schedules = true;
        world.start("desk", List.of());
        String handle = world.engine("desk")
                .get(ScheduledMessages.class)
                .schedule(
                        new Note("later"),
                        PublishOptions.none().withCorrelationId("tour-1").withDelay(Duration.ofHours(2)));
        world.settle();
        String id = handle.split("~", -1)[1];

        assertThat(part("desk", id).foundAs()).isEqualTo("scheduled message");
        assertThat(part("desk", id).correlationIds()).containsExactly(id, "tour-1");
        assertThat(told("desk", id)).contains("desk has scheduled message %s for 02:00:00Z.".formatted(id));
        assertThat(world.engine("desk").get(ScheduledMessages.class).cancel(handle))
                .isTrue();
        assertThat(told("desk", id)).contains("was cancelled");
    }

    // ---- what is not known

    @Test
    void anUnknownIdGetsToKnowWhereWasLooked() {
        Story story = story("billing", "nobody");

        assertThat(String.join(" ", story.sentences()))
                .startsWith(
                        "Nothing is known of nobody at billing. billing has looked at: records of this correlation id; records of messages with this idempotency key; records with this message id")
                .contains("billing, poison queue: not looked at:", "It may be known to another node");
        assertThat(curls(story))
                .containsExactly(
                        "curl -sS \"${ACTUATOR:-http://localhost:8080/actuator}/safebunnypoison/nobody\"",
                        "curl -sS \"${ACTUATOR:-http://localhost:8080/actuator}/safebunny/nodes\"");
        assertThat(story.timeline()).isEmpty();
    }

    @Test
    void aSearchThatTakesTooLongIsToldAndDoesNotFail() {
        billingStore.isLarge = true;

        assertThat(told("billing", "nobody"))
                .startsWith(
                        "It could not be found out whether billing knows nobody: records with this message id: not looked at: the test wants it. billing has looked at:")
                .doesNotContain("Nothing is known", "It may be known to another node");
    }

    @Test
    void aStoreThatIsAwayIsToldAndDoesNotFail() {
        billingStore.isAway = true;

        assertThat(told("billing", ID))
                .startsWith(
                        "It could not be found out whether billing knows order-1: records of this correlation id: not looked at: the test wants it")
                .doesNotContain("Nothing is known", "looked at: .", "It may be known to another node");
        assertThat(told("storefront", ID)).contains("Nothing is known of order-1 at storefront.");
        assertThat(told("storefront", "a b"))
                .contains("storefront has nowhere to look", "It may be known to another node");
    }

    @Test
    void aNodeWithoutAStoreSaysSo() {
        world.start("bare", (MessageStore) null, List.of());

        assertThat(told("bare", ID))
                .contains(
                        "It could not be found out whether bare knows order-1: records: not looked at: this node has no store.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\uD83D"})
    void anInvalidIdIsRefused(String id) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> world.engine("orders").get(BunnyStory.class).of(id))
                .withMessageContaining("SB-5001 Invalid id of a story");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> world.engine("orders").get(BunnyStory.class).of("x".repeat(1025)))
                .withMessageContaining("length=1025");
    }

    // ---- order, limits and secrets

    @Test
    void theTimelineIsInOrderWithWhatIsExpectedAtItsEnd() {
        capturing = (payload, context) -> {
            throw new IllegalStateException("the gateway is down");
        };
        place();
        world.pass(Duration.ofSeconds(10));

        List<Event> orders = story("orders", ID).timeline();
        assertThat(orders).extracting(Event::expected).isSorted();
        assertThat(orders.get(orders.size() - 1).what()).isEqualTo("OrderSaga: timeout payment is due");
        List<Event> billing = story("billing", ID).timeline();
        assertThat(billing)
                .extracting(event -> event.at() + " " + event.what().replaceAll(" \\(Illegal.*", ""))
                .containsExactly(
                        "2026-01-01T00:00:00Z `Capture` (%s) failed after 0 ms".formatted(command()),
                        "2026-01-01T00:00:10Z `Capture` (%s) failed after 0 ms".formatted(command()),
                        "2026-01-01T00:00:20Z `Capture` (%s) is due again".formatted(command()));
        assertThat(story("billing", ID).timeline()).isEqualTo(billing);
    }

    @Test
    void moreThanThereIsRoomForIsSaidToBeMissing() {
        for (int i = 0; i <= OwnPart.MOST; i++) {
            publish(new Note("n" + i), "many");
        }

        NodeStory part = part("billing", "many");
        assertThat(part.truncated()).isTrue();
        assertThat(part.messages()).hasSize(OwnPart.MOST);
        assertThat(told("billing", "many"))
                .contains(
                        "billing has handled 500 messages of it: `Note` (500).",
                        "billing knows more of it than is told here: a story has room for 500 records");
    }

    @Test
    void aStoryHasNeitherBodiesNorStates() {
        capturing = (payload, context) -> {
            throw new PoisonMessageException("no such card");
        };
        place();

        for (String node : List.of("orders", "billing")) {
            Story story = story(node, ID);
            assertThat(JSON.writeValueAsString(story)).contains("Capture").doesNotContain(SECRET, "card\\\":");
            assertThat(story.toMermaid()).doesNotContain(SECRET);
        }
    }

    /** As it will travel from node to node. */
    @Test
    void whatANodeKnowsSurvivesJson() {
        place();
        capturing = (payload, context) -> {
            throw new IllegalStateException("the gateway is down");
        };
        publish(new PlaceOrder(SECRET), "order-2");

        for (String node : List.of("orders", "billing")) {
            NodeStory part = part(node, "order-2");
            assertThat(JSON.readValue(JSON.writeValueAsString(part), NodeStory.class))
                    .isEqualTo(part);
            assertThat(Objects.requireNonNull(part.foundAs())).isEqualTo("correlation id");
        }
    }

    @Test
    void twoPartsAreOneStory() {
        capturing = (payload, context) -> {
            throw new IllegalStateException("the gateway is down");
        };
        place();

        Story joined = Telling.of(ID, world.timeline.now(), List.of(part("orders", ID), part("billing", ID)));
        assertThat(String.join(" ", joined.sentences()))
                .contains("has not taken these yet: `Captured`", "billing has failed to handle `Capture`");
        assertThat(joined.timeline())
                .filteredOn(event -> event.node().equals("billing"))
                .filteredOn(event -> !event.expected())
                .extracting(Event::from)
                .containsOnly("orders");
        assertThat(Telling.of(
                                part("orders", ID).messages().get(0).id(),
                                world.timeline.now(),
                                List.of(part("orders", ID), part("billing", ID)))
                        .sentences())
                .contains(
                        "It has published `Capture` (%s) and the alarm of a timeout (%s), due at 00:15:00Z; nobody who was asked has a record that says handled."
                                .formatted(
                                        command(),
                                        part("orders", ID)
                                                .messages()
                                                .get(0)
                                                .published()
                                                .get(1)
                                                .id()));
        assertThat(joined.toMermaid()).contains("n0->>n1: 2026-01-01T00", "participant n1 as billing");
    }
}
