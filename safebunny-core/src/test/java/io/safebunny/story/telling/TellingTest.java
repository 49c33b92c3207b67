// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.NodeStory.Unsent;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Command;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is rare in tests of whole nodes, from values alone. */
class TellingTest {

    private static final Instant NOW = Instant.parse("2026-03-02T10:41:00Z");

    private static NodeStory part(List<String> troubles, List<Message> messages, List<Unsent> outbox) {
        return new NodeStory(
                "shop",
                "shop-1",
                NOW,
                "correlation id",
                List.of("c"),
                troubles,
                List.of(),
                messages,
                List.of(),
                outbox,
                List.of(),
                List.of(),
                false);
    }

    private static Message message(
            State state, @Nullable Instant claimedUntil, List<Failure> failures, List<Publication> published) {
        return new Message("m-1", "c", "Capture", state, 0, claimedUntil, NOW.minusSeconds(60), failures, published, 0);
    }

    private static Story told(Message message) {
        return Telling.of("m-1", NOW, List.of(part(List.of(), List.of(message), List.of())));
    }

    private static Failure failure(int seconds) {
        return new Failure(NOW.minusSeconds(seconds), "host", 7, "io.shop.GatewayTimeout", null, NOW.plusSeconds(5));
    }

    @Test
    void aMessageThatIsBeingHandled() {
        assertThat(told(message(State.HANDLING, NOW.plusSeconds(30), List.of(), List.of()))
                        .sentences())
                .containsExactly("shop handles `Capture` (m-1) since 10:40:00Z.");
    }

    @Test
    void aClaimThatHasFallenSilent() {
        assertThat(told(message(State.HANDLING, NOW.minusSeconds(1), List.of(), List.of()))
                        .sentences())
                .containsExactly(
                        "shop handles `Capture` (m-1) since 10:40:00Z, but that was to be renewed by 10:40:59Z: its instance may have died. Another one takes over when the message is delivered again.");
    }

    @Test
    void aMessageThatCameBackWithoutAnAttempt() {
        assertThat(told(message(State.WAITING, null, List.of(), List.of())).sentences())
                .containsExactly(
                        "shop has returned `Capture` (m-1) to its queue at 10:40:00Z without a failed attempt.",
                        "Its type is not paused.");
    }

    @Test
    void moreFailuresThanARecordKeeps() {
        List<Failure> five =
                IntStream.of(50, 40, 30, 20, 10).mapToObj(TellingTest::failure).toList();

        assertThat(told(message(State.WAITING, null, five, List.of())).sentences())
                .containsExactly(
                        "shop has handled `Capture` (m-1) at least 5 times; the last attempt failed at 10:40:50Z (GatewayTimeout).",
                        "The next attempt is due at 10:41:05Z.",
                        "Its type is not paused.");
    }

    @Test
    void publicationsThatTheBrokerRefuses() {
        Story story = told(message(
                State.UNSENT,
                null,
                List.of(),
                List.of(
                        new Publication("p-1", "Captured", true, null),
                        new Publication("p-2", "Receipt", false, null))));

        assertThat(story.sentences())
                .startsWith(
                        "shop has handled `Capture` (m-1) at 10:40:00Z.",
                        "Its record does not say that the broker has `Receipt` (p-2).");
        assertThat(story.next())
                .extracting(Command::curl)
                .singleElement()
                .asString()
                .endsWith("/safebunny/publisher\"");
    }

    /** The broker's confirms are noted in batches: what is young is no trouble. */
    @Test
    void publicationsWhoseConfirmsAreNotNotedYet() {
        Message young = new Message(
                "m-1",
                "c",
                "Capture",
                State.UNSENT,
                0,
                null,
                NOW.minusMillis(20),
                List.of(),
                List.of(new Publication("p-2", "Receipt", false, null)),
                0);

        assertThat(told(young).sentences())
                .startsWith(
                        "shop has handled `Capture` (m-1) at 10:40:59Z.",
                        "Its record does not say yet that the broker has `Receipt` (p-2).");
        assertThat(told(young).next()).isEmpty();
        assertThat(Telling.of("c", NOW, List.of(part(List.of(), List.of(young), List.of())))
                        .sentences())
                .containsExactly("shop has handled one message of it: `Capture`.");
    }

    @Test
    void aStepThatWasUndone() {
        assertThat(told(message(State.UNDONE, null, List.of(), List.of())).sentences())
                .containsExactly("shop never handles `Capture` (m-1) any more: its step was undone at 10:40:00Z.");
    }

    @Test
    void whatWaitsInTheOutboxWhileTheBrokerIsAway() {
        Unsent unsent = new Unsent("m-1", "c", "OrderPlaced", 3, NOW.minus(Duration.ofDays(1)), NOW.plusSeconds(90));
        Story story = Telling.of(
                "c", NOW, List.of(part(List.of("the broker cannot be used: refused"), List.of(), List.of(unsent))));

        assertThat(story.sentences())
                .containsExactly(
                        "At shop, the broker cannot be used: refused.",
                        "`OrderPlaced` (m-1) is in the outbox of shop since 2026-03-01 10:41:00Z, and the broker has not confirmed it: the relay has failed 3 times. It is sent at 10:42:30Z, if not before.");
        assertThat(story.timeline()).extracting(Story.Event::expected).containsExactly(false, true);
    }

    /** Whatever order a store gives: what happened in one millisecond has an order of its own. */
    @Test
    void theSameIsAlwaysToldInTheSameOrder() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            messages.add(new Message(
                    "m-" + i,
                    "c",
                    "T" + i % 3,
                    List.of(State.values()).get(i % 6),
                    0,
                    null,
                    NOW,
                    List.of(),
                    List.of(),
                    0));
        }
        Story story = Telling.of("c", NOW, List.of(part(List.of(), messages, List.of())));
        Collections.shuffle(messages, new Random(7));
        Story again = Telling.of("c", NOW, List.of(part(List.of(), messages, List.of())));

        assertThat(again.sentences()).isEqualTo(story.sentences());
        assertThat(again.timeline()).isEqualTo(story.timeline()).hasSize(40);
        assertThat(again.next()).isEqualTo(story.next());
        assertThat(again.toMermaid()).isEqualTo(story.toMermaid());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x\n    participant evil",
                "a;b",
                "end",
                "END of it",
                "%%{init: {}}%%",
                "<script>alert(1)</script>",
                "#35;",
                "->>n1: hi",
                "\"quoted\" `code` $(id) ' \\",
                "größe 世界 🐇 \u202E"
            })
    void nothingThatOthersWroteBecomesPartOfTheDiagramOrOfACommand(String text) {
        Failure failure = new Failure(NOW.minusSeconds(1), text, 1, text, text, null);
        Message message = new Message(text, text, text, State.SET_ASIDE, 0, null, NOW, List.of(failure), List.of(), 0);
        Story story = Telling.of(text, NOW, List.of(part(List.of(text), List.of(message), List.of())));

        assertThat(story.toMermaid().lines().toList())
                .hasSize(4)
                .allMatch(line -> line.matches(
                        "sequenceDiagram|    participant n0 as shop|    Note over n0: ([A-Za-z0-9 .,_()/-]|#[0-9]+;)*"))
                .noneMatch(line -> line.matches("(?i).*(?<![#0-9;a-z])end(?![a-z]).*"));
        assertThat(story.next())
                .extracting(Command::curl)
                .allMatch(
                        curl -> curl.matches(
                                "curl -s (-H 'Content-Type: application/json' -d '[^']*' )?\"\\$\\{ACTUATOR:-http://localhost:8080/actuator}/[A-Za-z0-9%._/-]*\""));
        assertThat(story.sentences()).allMatch(sentence -> sentence.lines().count() == 1);
    }
}
