// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Parts;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Asked;
import io.safebunny.story.Story.Command;
import io.safebunny.story.exchange.Gathered;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Of a text that has not left its node a story says whom to ask for it, and of no other. */
class WithheldTest {

    private static final Instant NOW = Instant.parse("2026-03-02T10:41:00Z");
    private static final NodeStory SHOP = part("shop", "shop-1", List.of(), List.of());
    private static final BlockedOn BLOCKED = new BlockedOn("m-1", "Capture", "billing", "handler-failed");

    private static NodeStory part(String node, String instance, List<Saga> sagas, List<Message> messages) {
        return Parts.part(node, instance, NOW, sagas, messages);
    }

    private static NodeStory billing(Message message) {
        return part("billing", "billing-1", List.of(), List.of(message));
    }

    private static Saga saga(
            SagaStatus status, List<BlockedOn> blockedOn, @Nullable StuckOn stuckOn, List<Event> history) {
        return new Saga(
                "Order",
                "c",
                status,
                NOW.minusSeconds(600),
                NOW,
                null,
                List.of(new Step("pay", "m-1", "Capture", null, StepStatus.SENT)),
                Map.of(),
                blockedOn,
                stuckOn,
                List.of(),
                history);
    }

    private static Saga failed() {
        return saga(SagaStatus.FAILED, List.of(), null, List.of());
    }

    private static Message capture(State state, @Nullable String text) {
        Failure failure = new Failure(NOW.minusSeconds(30), "host", 7, "io.shop.GatewayTimeout", text, null);
        return new Message("m-1", "c", "Capture", state, 0, null, NOW, List.of(failure), List.of(), 0);
    }

    /** As the first one tells it when all have answered. */
    private static Story together(NodeStory... parts) {
        return Telling.of(
                "c",
                NOW,
                new Gathered(
                        null,
                        List.of(parts),
                        Stream.of(parts)
                                .map(part -> new Asked(part.node(), part.instance(), "1", true, NOW, null))
                                .toList(),
                        true));
    }

    private static String sentences(NodeStory... parts) {
        return String.join(" ", together(parts).sentences());
    }

    @Test
    void whyASagaFailedIsKnownToItsNode() {
        NodeStory part = part("billing", "billing-1", List.of(failed()), List.of());

        assertThat(sentences(SHOP, part)).contains("Order c of billing failed (ask billing why), and has ended");
        assertThat(sentences(part, SHOP)).contains("Order c of billing failed, and has ended");
        assertThat(Telling.of("c", NOW, List.of(SHOP, part)).sentences())
                .as("without anybody asked")
                .anyMatch(sentence -> sentence.startsWith("Order c of billing failed, and has ended"));
    }

    @Test
    void anotherInstanceWithAStoreOfItsOwnIsAskedToo() {
        assertThat(sentences(SHOP, part("shop", "shop-2", List.of(failed()), List.of())))
                .contains("Order c of shop failed (ask instance shop-2 of shop why), and has ended");
    }

    @Test
    void whyAMessageFailedIsKnownToItsNode() {
        NodeStory silent = billing(capture(State.WAITING, null));

        assertThat(sentences(SHOP, silent)).contains("(GatewayTimeout; ask billing for its text)");
        assertThat(together(SHOP, silent).next()).anyMatch(WithheldTest::asksBilling);
        assertThat(sentences(silent, SHOP)).contains("(GatewayTimeout)");
        assertThat(together(silent, SHOP).next()).noneMatch(WithheldTest::asksBilling);
    }

    @Test
    void nobodyIsAskedForWhatIsTold() {
        NodeStory telling = billing(capture(State.WAITING, "no answer"));

        assertThat(sentences(SHOP, telling)).contains("(GatewayTimeout: \"no answer\")");
        assertThat(together(SHOP, telling).next()).noneMatch(WithheldTest::asksBilling);
    }

    private static boolean asksBilling(Command command) {
        return command.node().equals("billing") && command.curl().contains("safebunnystory");
    }

    @Test
    void whyASagaIsStuckIsKnownToItsNode() {
        StuckOn stuck = new StuckOn("m-2", "billing", NOW, "Paid", "io.shop.NoInvoice", null);
        Saga saga = saga(SagaStatus.STUCK, List.of(), stuck, List.of());

        assertThat(sentences(SHOP, part("billing", "billing-1", List.of(saga), List.of())))
                .contains("which billing has set aside: NoInvoice; ask billing for its text");
    }

    @Test
    void whyACommandWasSetAsideIsKnownToItsReceiver() {
        Saga saga = saga(SagaStatus.ACTIVE, List.of(BLOCKED), null, List.of());

        assertThat(sentences(part("shop", "shop-1", List.of(saga), List.of()), billing(capture(State.SET_ASIDE, null))))
                .contains("(handler-failed: GatewayTimeout; ask billing for its text)");
    }

    @Test
    void whyACommandHadFailedBeforeATimeoutIsKnownToItsReceiver() {
        Saga saga = saga(
                SagaStatus.FAILED,
                List.of(),
                null,
                List.of(
                        new Event(NOW.minusSeconds(60), "step pay: Capture"),
                        new Event(NOW, "timeout late is over"),
                        new Event(NOW, "failed: too late")));

        assertThat(sentences(part("shop", "shop-1", List.of(saga), List.of()), billing(capture(State.WAITING, null))))
                .contains(
                        "the command of step pay, the last time at 10:40:30Z (GatewayTimeout; ask billing for its text)");
    }
}
