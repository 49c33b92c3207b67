// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.PublishOptions;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Asked;
import io.safebunny.story.Story.Command;
import io.safebunny.story.exchange.Gathered;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the story of a message says whose deadline passed before it was handled. */
class ExpiredMessagesTest {

    @BunnyMessage(expired = Expired.DROP)
    record Price(String id) {}

    record Quote(String id) {}

    record Offer(String id) {}

    private final SagaWorld world = new SagaWorld();
    private boolean failing;

    private void start() {
        world.start("shop", List.of());
        world.start(
                "desk",
                List.of(
                        handler(Price.class),
                        handler(Quote.class),
                        handler(Offer.class).withOnExpired((payload, context) -> {})));
    }

    private HandlerDefinition handler(Class<?> type) {
        return SagaWorld.handler("shop", type, (payload, context) -> {
            if (failing) {
                throw new IOException("no courier");
            }
        });
    }

    private Story late(Object payload, Duration left) {
        start();
        String id = world.bunny("shop")
                .publish(
                        payload,
                        PublishOptions.none()
                                .withCorrelationId("c-1")
                                .withDeadline(world.timeline.now().plus(left)))
                .messageId();
        if (!failing) {
            world.timeline.advance(left);
        }
        world.settle();
        assertThat(id).isNotNull();
        return world.engine("desk").get(StoryTeller.class).of("c-1");
    }

    private static List<State> states(Story story) {
        return story.nodes().stream()
                .map(NodeStory::messages)
                .flatMap(List::stream)
                .map(NodeStory.Message::state)
                .toList();
    }

    @Test
    void aDroppedOne() {
        Story story = late(new Price("1"), Duration.ofSeconds(5));

        assertThat(states(story)).containsExactly(State.EXPIRED);
        assertThat(story.sentences())
                .anyMatch(sentence -> sentence.matches(
                        "desk has dropped `Price` \\(.+\\) at 00:00:05Z, because its deadline had passed\\."));
        assertThat(story.timeline())
                .extracting(Story.Event::what)
                .anySatisfy(what -> assertThat(what).endsWith("had expired: its deadline had passed"))
                .anySatisfy(what -> assertThat(what).endsWith("was dropped, because its deadline had passed"));
        assertThat(story.next()).isEmpty();
    }

    /** It would come too late ten seconds later. */
    @Test
    void oneThatIsDroppedAfterAFailure() {
        failing = true;
        Story story = late(new Price("1"), Duration.ofSeconds(5));

        assertThat(story.sentences())
                .anyMatch(
                        sentence -> sentence.matches(
                                "desk has dropped `Price` \\(.+\\) at 00:00:00Z, because its next attempt would have come after its deadline, after one failed attempt, at 00:00:00Z \\(IOException: .*no courier.*\\)\\."));
    }

    @Test
    void oneThatIsSetAside() {
        Story story = late(new Quote("1"), Duration.ofSeconds(5));

        assertThat(states(story)).containsExactly(State.SET_ASIDE);
        assertThat(story.sentences())
                .anySatisfy(
                        sentence -> assertThat(sentence).matches("desk has set `Quote` \\(.+\\) aside at 00:00:05Z\\."))
                .contains("Its deadline had passed; a replay has none.");
    }

    @Test
    void oneThatWasSetAsideAndIsHandledInAReplay() {
        Story aside = late(new Quote("1"), Duration.ofSeconds(5));
        assertThat(states(aside)).containsExactly(State.SET_ASIDE);

        world.replay(world.poison("desk").get(0), "desk-Quote");

        Story story = world.engine("desk").get(StoryTeller.class).of("c-1");
        assertThat(states(story)).containsExactly(State.HANDLED);
        assertThat(story.sentences()).contains("desk has handled one message of it: `Quote`.");
    }

    @Test
    void oneThatItsMethodWasToldOf() {
        Story story = late(new Offer("1"), Duration.ofSeconds(5));

        assertThat(states(story)).containsExactly(State.HANDLED);
        assertThat(story.sentences())
                .anyMatch(
                        sentence -> sentence.matches(
                                "desk has run the @OnExpired method for `Offer` \\(.+\\) at 00:00:05Z, because its deadline had passed\\."));
    }

    // ---- commands of sagas

    record Book(String id) {}

    @BunnyMessage(validFor = "5s", expired = Expired.DROP)
    record Ask(String id) {}

    @BunnyMessage(validFor = "5s")
    record Hold(String id) {}

    record Release(String id) {}

    record Booking(String id) {}

    @BunnySaga(name = "Trip", participants = "desk")
    record Trip(Object command) {

        @Starts
        @BunnyHandler(from = "shop")
        Booking on(Book book, SagaContext saga) {
            saga.step("seat", command, new Release(book.id()));
            saga.timeout("seat", Duration.ofHours(1));
            return new Booking(book.id());
        }

        @OnTimeout("seat")
        void late(SagaContext saga) {
            saga.fail("nobody answers");
        }
    }

    /** The participant comes back when the deadline has passed. */
    private void book(Object command) {
        world.breakerSettings = BreakerSettings.defaults();
        world.start("shop", List.of());
        world.start(
                "desk",
                List.of(
                        SagaWorld.handler("trips", Ask.class, (payload, context) -> {}),
                        SagaWorld.handler("trips", Hold.class, (payload, context) -> {}),
                        SagaWorld.handler("trips", Release.class, (payload, context) -> {})));
        world.start("trips", List.of(), new Trip(command));
        world.breakers("desk").open(command.getClass(), Duration.ofMinutes(1));
        var unused =
                world.bunny("shop").publish(new Book("1"), PublishOptions.none().withCorrelationId("c-1"));
        world.pass(Duration.ofMinutes(2));
    }

    /** As the node of the saga tells it when the participant has answered. */
    private Story ofSaga() {
        List<NodeStory> parts = Stream.of("trips", "desk")
                .map(node -> world.engine(node).get(StoryTeller.class).own("c-1"))
                .toList();
        List<Asked> asked = parts.stream()
                .map(part -> new Asked(part.node(), part.instance(), "", true, world.timeline.now(), null))
                .toList();
        return Telling.of("c-1", world.timeline.now(), new Gathered(null, parts, asked, true));
    }

    private static List<String> requests(Story story) {
        return story.next().stream().map(Command::toString).toList();
    }

    /** Sent again, it would be a duplicate; and there is nothing to replay. */
    @Test
    void aDroppedCommandCanBeNeitherRetriedNorReplayed() {
        book(new Ask("1"));

        Story story = ofSaga();

        assertThat(story.sentences())
                .anySatisfy(
                        sentence -> assertThat(sentence)
                                .matches(
                                        ".*has waited for a repair since 00:\\d\\d:\\d\\dZ: desk has dropped `Ask` \\(.+\\), the command of step seat \\(its deadline had passed\\)\\."))
                .anySatisfy(sentence -> assertThat(sentence)
                        .startsWith("That step does not go on until somebody repairs it: nothing tries it again. "));
        assertThat(requests(story))
                .anySatisfy(
                        request -> assertThat(request).contains("\"action\":\"skip\"", "only if nobody needs `Ask`"))
                .anySatisfy(request -> assertThat(request).contains("\"action\":\"fail\""))
                .noneSatisfy(request -> assertThat(request).contains("retry"))
                .noneSatisfy(request -> assertThat(request).contains("safebunnypoison"));

        world.engine("trips").get(Sagas.class).skip("Trip", "c-1", "seat", "nobody wants it");
        world.settle();

        assertThat(requests(ofSaga()))
                .noneSatisfy(request -> assertThat(request).contains("skip"));
    }

    @Test
    void aCommandThatWasSetAsideIsRetried() {
        book(new Hold("1"));

        Story story = ofSaga();

        assertThat(story.sentences()).anySatisfy(sentence -> assertThat(sentence)
                .contains("desk has set aside `Hold`", "the command of step seat (expired: Message"));
        assertThat(requests(story)).anySatisfy(request -> assertThat(request).contains("\"action\":\"retry\""));
    }

    @Test
    void theTimeoutOfASagaWhoseCommandWasDropped() {
        book(new Ask("1"));

        world.pass(Duration.ofHours(1));

        assertThat(ofSaga().sentences()).anySatisfy(sentence -> assertThat(sentence)
                .contains("when it heard that desk had dropped `Ask`", "the command of step seat (expired"));
    }
}
