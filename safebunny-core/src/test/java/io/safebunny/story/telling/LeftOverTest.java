// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Parts;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Command;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Only what a saga would have taken, or has failed without, is to be discarded: others may still want the effect of what they take. */
class LeftOverTest {

    private static final Instant NOW = Instant.parse("2026-03-02T10:41:00Z");
    private static final Step PAY = new Step("pay", "m-1", "Capture", "Refund", StepStatus.SENT);

    private static Message aside(String id, String type) {
        return new Message(id, "c", type, State.SET_ASIDE, 0, null, NOW, List.of(), List.of(), 0);
    }

    private static Saga saga(SagaStatus status, String... history) {
        return new Saga(
                "Order",
                "c",
                status,
                NOW.minusSeconds(600),
                NOW,
                null,
                List.of(PAY),
                Map.of(),
                status == SagaStatus.ACTIVE
                        ? List.of(new BlockedOn("m-1", "Capture", "shop", "handler-failed"))
                        : List.of(),
                null,
                List.of(),
                List.of(history).stream()
                        .map(what -> new Event(NOW.minusSeconds(60), what))
                        .toList());
    }

    private static Story told(Saga saga, List<Message> messages) {
        return Telling.of("c", NOW, List.of(Parts.part("shop", "shop-1", NOW, List.of(saga), messages)));
    }

    private static List<Arguments> messages() {
        String heard = "Paid m-2 was set aside by shop: handler-failed";
        String ofUndo = "BunnyUndone m-7 was set aside by shop: handler-failed";
        String forgotten = "Mail m-8 was set aside by post: handler-failed";
        String sent = "Mail m-8 was set aside by shop: handler-failed";
        String ofItsUndo = "Refund m-3 was set aside by shop: handler-failed";
        String ofStep = "Capture m-1 was set aside by shop: handler-failed";
        return List.of(
                arguments(true, saga(SagaStatus.FAILED), aside("m-1", "Capture")),
                arguments(true, saga(SagaStatus.FAILED), aside("m-3", "Refund")),
                arguments(false, saga(SagaStatus.COMPLETED), aside("m-1", "Capture")),
                arguments(true, saga(SagaStatus.COMPLETED, heard), aside("m-2", "Paid")),
                arguments(true, saga(SagaStatus.FAILED, heard), aside("m-2", "Paid")),
                arguments(false, saga(SagaStatus.FAILED, heard), aside("m-4", "Paid")),
                arguments(false, saga(SagaStatus.FAILED), aside("m-5", "SagaFailed")),
                arguments(true, saga(SagaStatus.FAILED), aside("m-6", "BunnyTimeout")),
                arguments(true, saga(SagaStatus.COMPENSATING, heard), aside("m-2", "Paid")),
                arguments(true, saga(SagaStatus.COMPENSATION_FAILED, heard), aside("m-2", "Paid")),
                arguments(false, saga(SagaStatus.COMPENSATING, heard), aside("m-4", "Paid")),
                arguments(false, saga(SagaStatus.COMPENSATING, ofUndo), aside("m-7", "BunnyUndone")),
                arguments(false, saga(SagaStatus.COMPENSATING, ofStep), aside("m-1", "Capture")),
                arguments(false, saga(SagaStatus.COMPENSATING, ofItsUndo), aside("m-3", "Refund")),
                arguments(false, saga(SagaStatus.COMPENSATING, forgotten), aside("m-8", "Mail")),
                arguments(false, saga(SagaStatus.COMPENSATING, "step mail: Mail", sent), aside("m-8", "Mail")));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void isOfferedToBeDiscardedAndNeverReplayed(boolean isLeftOver, Saga saga, Message message) {
        Story story = told(saga, List.of(message));
        String why = !saga.status().isEnded()
                ? "failed, and takes no more messages. Discard it if nobody has: a replay does nothing."
                : message.type().equals("Paid")
                        ? "ended, and takes no more messages. Discard it if nobody has: a replay does nothing."
                        : "ended. Discard it if nobody has, and do not replay it.";

        assertThat(story.sentences())
                .filteredOn(sentence -> sentence.equals("It is left over: its saga has " + why))
                .hasSize(isLeftOver ? 1 : 0);
        assertThat(story.next())
                .extracting(Command::curl)
                .noneMatch(
                        curl -> curl.contains("\"replay\"") && !message.type().equals("BunnyUndone"))
                .filteredOn(curl -> curl.contains("\"discard\""))
                .hasSize(isLeftOver ? 1 : 0);
    }

    /** The one that has ended says nothing of the other one. */
    @Test
    void isNotTakenForLeftOverWhileAnotherSagaUndoesItsSteps() {
        Saga ended = saga(SagaStatus.FAILED, "Paid m-2 was set aside by shop: handler-failed");
        Story story = Telling.of(
                "c",
                NOW,
                List.of(Parts.part(
                        "shop",
                        "shop-1",
                        NOW,
                        List.of(ended, saga(SagaStatus.COMPENSATING)),
                        List.of(aside("m-2", "Paid")))));

        assertThat(story.sentences())
                .noneMatch(sentence -> sentence.startsWith("It is left over"))
                .anyMatch(sentence -> sentence.contains("has failed, and wants its steps undone: if this message"));
    }

    /** Somebody may have retried it, and it was set aside again; of the first time there may be nothing left. */
    @Test
    void aRepairIsWaitedForSinceTheFirstTime() {
        String aside = "Capture m-1 was set aside by shop: handler-failed";
        Saga cut = saga(SagaStatus.ACTIVE, aside);
        Saga whole = new Saga(
                "Order",
                "c",
                SagaStatus.ACTIVE,
                NOW.minusSeconds(600),
                NOW,
                null,
                List.of(PAY),
                Map.of(),
                cut.blockedOn(),
                null,
                List.of(),
                List.of(
                        new Event(NOW.minusSeconds(600), "took Place m-0"),
                        new Event(NOW.minusSeconds(300), aside),
                        new Event(NOW.minusSeconds(200), "RETRY: mended"),
                        new Event(NOW.minusSeconds(100), aside)));

        assertThat(told(whole, List.of(aside("m-1", "Capture"))).sentences().get(0))
                .startsWith("Order c of shop has waited for a repair since 10:36:00Z: ");
        assertThat(told(cut, List.of(aside("m-1", "Capture"))).sentences().get(0))
                .startsWith("Order c of shop has waited for a repair at least since 10:40:00Z: ");
    }
}
