// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.PublishOptions;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Story;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
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
                                "desk has dropped `Price` \\(.+\\) at 00:00:00Z, because its deadline had passed, after one failed attempt, the last at 00:00:00Z \\(IOException: .*no courier.*\\)\\."));
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
                                "desk has run the @OnExpired method for `Offer` \\(.+\\) at 00:00:05Z, whose deadline had passed\\."));
    }
}
