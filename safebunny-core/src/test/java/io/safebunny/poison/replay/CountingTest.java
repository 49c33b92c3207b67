// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.safebunny.failure.MisuseException;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonGroup;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Groups;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.transport.BrowsedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A dry run of all is a count of the whole queue, in groups. */
class CountingTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final int MOST_GROUPS = 1_000;
    private static final int ALL = 100_000;

    private final PoisonNode node = new PoisonNode(timeline -> new MemoryMessageStore(timeline, Duration.ofDays(7)));

    private static WireMessage copy(String id, String type, String exception, int minute) {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put(Headers.POISON_QUEUE, PoisonNode.QUEUE);
        headers.put(Headers.POISON_REASON, "handler-failed");
        headers.put(Headers.POISONED_AT, NOON.plus(Duration.ofMinutes(minute)).toEpochMilli());
        headers.put(Headers.EXCEPTION_TYPE, exception);
        headers.put(Headers.POISON_DIGEST, "digest of " + id);
        return Wires.orderPlaced()
                .with("type", type)
                .with("message_id", id)
                .wire()
                .withHeaders(headers);
    }

    private void setAside(String id, String type, String exception, int minute) {
        node.setAside(copy(id, type, exception, minute));
    }

    private static PoisonRequest all() {
        return PoisonRequest.of(PoisonFilter.all().withLimit(ALL), "tester", "what is there?")
                .asDryRun();
    }

    private PoisonOperation counted() {
        PoisonOperation count = node.poison().replay(all());
        node.settle();
        return count;
    }

    @Test
    void tellsOfEachGroupHowManyThereAreFromWhenToWhenAndSomeOfThem() {
        for (int i = 0; i < 4; i++) {
            setAside("late-" + i, "OrderPlaced", "com.example.Late", 10 - i);
        }
        setAside("", "OrderPlaced", "com.example.Broken", 3);
        setAside("twice", "OrderPlaced", "com.example.Broken", 4);
        setAside("twice", "OrderPlaced", "com.example.Broken", 5);

        PoisonOperation count = counted();

        assertThat(count.groups())
                .isEqualTo(new Groups(
                        List.of(
                                new PoisonGroup(
                                        "OrderPlaced",
                                        "handler-failed",
                                        "com.example.Late",
                                        4,
                                        4,
                                        NOON.plus(Duration.ofMinutes(7)),
                                        NOON.plus(Duration.ofMinutes(10)),
                                        List.of("late-0", "late-1", "late-2")),
                                new PoisonGroup(
                                        "OrderPlaced",
                                        "handler-failed",
                                        "com.example.Broken",
                                        3,
                                        2,
                                        NOON.plus(Duration.ofMinutes(3)),
                                        NOON.plus(Duration.ofMinutes(5)),
                                        List.of("twice"))),
                        0,
                        false));
        assertThat(node.copies()).hasSize(7);
    }

    @Test
    void saysWhatAReplayWouldMoveAndAReplayMovesIt() {
        node.poisonOrders(3);
        setAside("o-x", "Another", "com.example.Late", 1);

        List<PoisonGroup> counted = counted().groups().groups();

        assertThat(counted).extracting(PoisonGroup::replayable).containsExactly(3, 0);
        PoisonFilter ofTheGroup = PoisonFilter.all()
                .withType(counted.get(0).type())
                .withReason(counted.get(0).reason())
                .withException(counted.get(0).exception());
        assertThat(node.replay(PoisonRequest.of(ofTheGroup, "tester", "it works"))
                        .moved())
                .isEqualTo(3);
        assertThat(node.copies()).hasSize(1);
    }

    @Test
    void countsWhatIsInTooManyGroupsAndSaysSo() {
        String endless = "x".repeat(251);
        setAside("long", endless, "com.example.Late", 0);
        for (int i = 0; i < MOST_GROUPS; i++) {
            setAside("o-" + i, "Type" + i, "com.example.Late", i);
            setAside("again-" + i, "Type" + i, "com.example.Late", i);
        }
        setAside("o", "TypeOfTooMany", "com.example.Late", 0);
        setAside("once-more", "Type0", "com.example.Late", 0);

        PoisonOperation count = counted();

        assertThat(count.groups().groups()).hasSize(MOST_GROUPS);
        assertThat(count.groups().groups().get(0).copies()).isEqualTo(3);
        assertThat(count.groups().others()).isEqualTo(2);
        assertThat(count.progress().matched()).isEqualTo(2 * MOST_GROUPS + 3);
    }

    @Test
    void inventedTypesDoNotHideAFailure() {
        for (int i = 0; i < MOST_GROUPS + 200; i++) {
            setAside("o-" + i, "Invented" + i, "com.example.Late", i);
        }
        for (int i = 0; i < 50; i++) {
            setAside("real-" + i, "OrderPlaced", "com.example.Late", i);
        }

        Groups groups = counted().groups();

        assertThat(groups.groups().get(0).type()).isEqualTo("OrderPlaced");
        assertThat(groups.groups().get(0).copies()).isEqualTo(50);
        assertThat(groups.groups()).hasSize(MOST_GROUPS);
        assertThat(groups.others()).isEqualTo(201);
    }

    @Test
    void tellsHowFarItIsAndHoldsEveryCopyOnlyUntilItsEnd() {
        node.poisonOrders(5);
        PoisonOperation count = node.poison().replay(all());
        assertThat(count.progress().depth()).isZero();
        assertThat(count.progress().endedAt()).isNull();

        node.settle();

        Progress progress = count.progress();
        assertThat(progress.state()).isEqualTo(RunState.ENDED);
        assertThat(progress.depth()).isEqualTo(5);
        assertThat(progress.scanned()).isEqualTo(5);
        assertThat(progress.endedAt()).isEqualTo(node.timeline.now());
        assertThat(node.copies()).hasSize(5);
        assertThat(node.list()).hasSize(5);
    }

    @Test
    void readsNoMoreThanWasThereAndSaysWhereItStopped() {
        node.poisonOrders(5);

        PoisonOperation count = node.poison()
                .replay(PoisonRequest.of(PoisonFilter.all().withLimit(3), "tester", "a part")
                        .asDryRun());
        node.settle();

        assertThat(count.progress().scanned()).isEqualTo(3);
        assertThat(count.progress().depth()).isEqualTo(5);
        assertThat(count.groups().groups()).extracting(PoisonGroup::copies).containsExactly(3);
    }

    @Test
    void aStoppedCountPutsBackWhatItHasReadAndKeepsWhatItKnows() {
        node.poisonOrders(3);
        PoisonOperation count = node.poison().replay(all());
        count.cancel();
        node.settle();

        assertThat(count.progress().state()).isEqualTo(RunState.CANCELLED);
        assertThat(count.progress().endedAt()).isNotNull();
        assertThat(node.copies()).hasSize(3);
    }

    @Test
    void noOtherOperationBeginsMeanwhile() {
        node.poisonOrders(3);
        PoisonOperation count = node.poison().replay(all());

        assertThatThrownBy(() -> node.poison().replay(PoisonNode.everything()))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining(MisuseException.BUSY)
                .hasMessageContaining(count.id());
        assertThatThrownBy(() -> node.poison().discard(PoisonNode.everything())).isInstanceOf(MisuseException.class);
        node.settle();
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(3);
    }

    /** Of the archive it is a dry run, too. */
    @Test
    void countsTheArchive() {
        node.poisonOrders(3);
        assertThat(node.discard(PoisonNode.everything()).moved()).isEqualTo(3);

        PoisonOperation count = node.poison().restore(all());
        node.settle();

        assertThat(count.groups().groups())
                .extracting(PoisonGroup::copies, PoisonGroup::replayable)
                .containsExactly(tuple(3, 3));
        assertThat(node.archive()).hasSize(3);
    }

    @Test
    void theGroupsOfOldOperationsAreForgottenAndCounted() {
        for (int i = 0; i < MOST_GROUPS; i++) {
            setAside("o-" + i, "Type" + i, "com.example.Late", i);
        }
        PoisonOperation first = counted();
        for (int i = 0; i < 5; i++) {
            PoisonOperation unused = counted();
        }
        assertThat(first.groups().groups()).hasSize(MOST_GROUPS);

        PoisonOperation last = counted();

        assertThat(first.groups()).isEqualTo(new Groups(List.of(), 0, true));
        assertThat(last.groups().groups()).hasSize(MOST_GROUPS);
    }

    @Test
    void groupsOfMovesAreForgottenBeforeThoseOfCounts() {
        for (int i = 0; i < MOST_GROUPS; i++) {
            setAside("o-" + i, "Type" + i, "com.example.Late", i);
        }
        PoisonOperation count = counted();
        PoisonRequest move = PoisonRequest.of(PoisonFilter.all().withLimit(ALL), "tester", "there and back");
        for (int i = 0; i < 3; i++) {
            assertThat(node.discard(move).moved()).isEqualTo(MOST_GROUPS);
            assertThat(node.restore(move).moved()).isEqualTo(MOST_GROUPS);
        }

        assertThat(counted().groups().groups()).hasSize(MOST_GROUPS);

        assertThat(count.groups().groups()).hasSize(MOST_GROUPS);
        assertThat(node.poison().operations())
                .extracting(one -> one.groups().forgotten())
                .contains(true);
    }

    /** Others hold what the count never got. */
    @Test
    void doesNotCountWhatItNeverGot() {
        node.poisonOrders(3);
        try (BrowsedQueue another = node.browse()) {
            assertThat(another.next()).isNotNull();

            PoisonOperation count = counted();

            assertThat(count.progress().scanned()).isEqualTo(2);
            assertThat(count.progress().depth()).isEqualTo(2);
        }
    }

    @Test
    void aSelectionIsMovedAndNothingElse() {
        node.poisonOrders(5);
        List<String> ids = node.list().stream().map(copy -> copy.messageId()).toList();
        Set<String> selected = Set.of(ids.get(1), ids.get(3), "nobody");

        Progress progress =
                node.discard(PoisonRequest.of(PoisonFilter.all().withMessageIds(selected), "tester", "two of them"));

        assertThat(progress.matched()).isEqualTo(2);
        assertThat(progress.moved()).isEqualTo(2);
        assertThat(progress.scanned()).isEqualTo(5);
        assertThat(node.archive()).extracting(WireMessage::messageId).containsExactly(ids.get(1), ids.get(3));
        assertThat(node.copies()).hasSize(3);
    }

    /** Else whoever has computed an empty selection would discard all. */
    @Test
    void aSelectionOfNothingIsNotOneOfAll() {
        assertThatThrownBy(() -> PoisonFilter.all().withMessageIds(Set.of()))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("give at least one");
        assertThat(PoisonFilter.all().withMessageId(null)).isEqualTo(PoisonFilter.all());
    }

    @Test
    void tellsOfASelectionHowManyItIs() {
        PoisonFilter two = PoisonFilter.all().withMessageIds(Set.of("b", "a")).withType("OrderPlaced");
        Set<String> many = IntStream.range(0, 300).mapToObj(String::valueOf).collect(Collectors.toSet());

        assertThat(two)
                .hasToString(
                        "PoisonFilter[messageIds=[a, b], digest=null, type=OrderPlaced, reason=null, exception=null, correlationId=null, verdict=null, limit=1000]");
        assertThat(two.withMessageIds(many).toString()).contains("messageIds=300 ids", "type=OrderPlaced");
    }

    @Test
    void aSelectionIsBounded() {
        Set<String> tooMany =
                IntStream.rangeClosed(0, 1_000).mapToObj(String::valueOf).collect(Collectors.toSet());

        assertThatThrownBy(() -> PoisonFilter.all().withMessageIds(tooMany))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("ids=1001")
                .hasMessageContaining("at most 1000");
    }
}
