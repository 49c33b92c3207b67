// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.failure.MisuseException;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonList;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** To the archive and back. */
class DiscardTest {

    private final PoisonNode node = new PoisonNode(timeline -> new MemoryMessageStore(timeline, PoisonNode.RETENTION));

    private static PoisonRequest only(String id) {
        return PoisonRequest.of(PoisonFilter.all().withMessageId(id), "tester", "a test order");
    }

    @Test
    void movesWhatMatchesToTheArchiveAsItIs() {
        node.poisonOrders(3);
        List<WireMessage> before = node.copies();

        Progress progress = node.discard(only("o-1"));

        assertThat(progress.state()).isEqualTo(PoisonOperation.RunState.ENDED);
        assertThat(progress.matched()).isEqualTo(1);
        assertThat(progress.moved()).isEqualTo(1);
        assertThat(node.archive()).containsExactly(before.get(1));
        assertThat(node.copies()).containsExactly(before.get(0), before.get(2));
        assertThat(node.handled).isEmpty();
    }

    @Test
    void whatIsRestoredIsReplayedAsIfItHadNeverBeenAway() {
        List<String> charges = new ArrayList<>();
        boolean[] works = {false};
        node.handler = (payload, context) -> {
            context.once("charge", () -> charges.add(context.messageId()));
            if (!works[0]) {
                throw new IllegalStateException("no courier");
            }
        };
        node.order("o-1");
        node.order("o-2");
        works[0] = true;
        List<WireMessage> before = node.copies();

        assertThat(node.discard(PoisonNode.everything()).moved()).isEqualTo(2);
        assertThat(node.copies()).isEmpty();
        assertThat(node.replay(PoisonNode.everything()).matched()).isZero();
        assertThat(node.restore(PoisonNode.everything()).moved()).isEqualTo(2);

        assertThat(node.archive()).isEmpty();
        assertThat(node.copies()).isEqualTo(before);
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(2);
        assertThat(node.handled).containsExactly("o-1", "o-2", "o-1", "o-2");
        assertThat(charges).containsExactly("o-1", "o-2");
        assertThat(node.copies()).isEmpty();
    }

    @Test
    void listsTheArchiveWithWhatAReplayWouldDo() {
        node.poisonOrders(3);
        node.discard(PoisonNode.everything());
        node.order("o-1"); // comes once more, as set aside before

        PoisonList archived =
                node.poison().archived(PoisonFilter.all().withMessageId("o-1").withLimit(5));

        assertThat(archived.depth()).isEqualTo(3);
        assertThat(archived.messages()).singleElement().satisfies(copy -> {
            assertThat(copy.messageId()).isEqualTo("o-1");
            assertThat(copy.verdict()).isEqualTo(Verdict.RUN);
        });
        assertThat(node.list()).extracting(PoisonedMessage::reason).containsExactly("set-aside-before");
        assertThat(node.archive()).hasSize(3);
    }

    @Test
    void discardsEachCopyOfAMessage() {
        node.poisonOrders(1);
        node.setAside(node.copies().get(0));

        assertThat(node.discard(PoisonNode.everything()).moved()).isEqualTo(2);

        assertThat(node.copies()).isEmpty();
        assertThat(node.archive()).hasSize(2);
    }

    @Test
    void discardsWhatNoReplayWouldMove() {
        Map<String, Object> hostile =
                new LinkedHashMap<>(Wires.orderPlaced().wire().headers());
        hostile.put("x-death", List.of(Map.of("reason", "delivery_limit")));
        hostile.put("nested", Map.of("a", 1));
        Map<String, Object> kept = Map.copyOf(hostile);
        hostile.put("CC", List.of("shipping-OrderPlaced"));
        hostile.put("BCC", List.of("shipping-OrderPlaced"));
        hostile.put("x-delivery-count", 3);
        node.setAside(Wires.orderPlaced().wire().withHeaders(hostile));

        Progress progress = node.discard(PoisonNode.everything());

        assertThat(progress.moved()).isEqualTo(1);
        assertThat(progress.verdicts()).containsExactly(Map.entry(Verdict.REFUSED, 1));
        assertThat(node.archive()).singleElement().satisfies(copy -> assertThat(copy.headers())
                .isEqualTo(kept));
    }

    @Test
    void aDryRunMovesNothing() {
        node.poisonOrders(2);
        List<WireMessage> before = node.copies();

        assertThat(node.discard(PoisonNode.everything().asDryRun()).moved()).isEqualTo(2);

        assertThat(node.archive()).isEmpty();
        assertThat(node.copies()).isEqualTo(before);
    }

    @Test
    void keepsToTheRate() {
        node.poisonOrders(11);
        Duration before = node.timeline.elapsed();

        node.discard(PoisonNode.everything().atRate(5));

        assertThat(node.archive()).hasSize(11);
        assertThat(node.timeline.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void endsBeforeTheNextCopyWhenItIsCancelled() {
        node.poisonOrders(2);
        PoisonOperation discard = node.poison().discard(PoisonNode.everything());
        discard.cancel();
        node.settle();

        assertThat(discard.progress().state()).isEqualTo(PoisonOperation.RunState.CANCELLED);
        assertThat(node.archive()).isEmpty();
        assertThat(node.copies()).hasSize(2);
    }

    @Test
    void runsBesideNoOtherOperation() {
        node.poisonOrders(1);
        PoisonOperation discard = node.poison().discard(PoisonNode.everything());

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> node.poison().restore(PoisonNode.everything()))
                .withMessageContainingAll("SB-5016", discard.id());
        node.settle();
        PoisonOperation restore = node.poison().restore(PoisonNode.everything());
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> node.poison().replay(PoisonNode.everything()))
                .withMessageContainingAll("SB-5016", restore.id());
        node.settle();

        assertThat(node.poison().operations())
                .extracting(PoisonOperation::kind)
                .containsExactly(PoisonOperation.Kind.RESTORE, PoisonOperation.Kind.DISCARD);
    }

    @Test
    void saysOfEachMessageWhoMovedItWhereAndWhy() {
        node.poisonOrders(1);
        node.events.clear();
        try (LogLines log = new LogLines("io.safebunny.poison.replay", Level.INFO)) {
            node.discard(only("o-0"));
            node.restore(only("o-0"));

            assertThat(log.texts())
                    .anySatisfy(line -> assertThat(line).contains("DISCARD", "begins", "tester", "a test order"))
                    .anySatisfy(line -> assertThat(line).contains("DISCARD", "o-0 to billing-poison-archive", "tester"))
                    .anySatisfy(line -> assertThat(line).contains("RESTORE", "begins", "tester", "a test order"))
                    .anySatisfy(line -> assertThat(line).contains("RESTORE", "o-0 to billing-poison ", "tester"));
        }

        List<PoisonOperation> operations = node.poison().operations();
        assertThat(node.events)
                .containsExactly(
                        moved(operations.get(1), "billing-poison-archive"), moved(operations.get(0), "billing-poison"));
    }

    private SafeBunnyEvent moved(PoisonOperation operation, String to) {
        return new SafeBunnyEvent.MessageMoved(
                "billing",
                operation.id(),
                operation.kind().name(),
                "tester",
                to,
                "OrderPlaced",
                "o-0",
                Wires.CORRELATION_ID,
                node.timeline.now());
    }

    /** The process ended between the confirm and the acknowledgement. */
    @Test
    void aSecondCopyIsHandledOnce() {
        node.poisonOrders(1);
        WireMessage copy = node.copies().get(0);
        node.discard(PoisonNode.everything());
        node.setAside(copy);

        node.restore(PoisonNode.everything());

        assertThat(node.copies()).hasSize(2);
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);
        assertThat(node.replay(PoisonNode.everything()).moved()).isZero();
        assertThat(node.handled).containsExactly("o-0");
    }
}
