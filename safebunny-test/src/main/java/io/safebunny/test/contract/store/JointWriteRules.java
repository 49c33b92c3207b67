// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.found;
import static io.safebunny.test.contract.store.StoreBench.trail;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.store.JointWrite;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The contract of writing a record together with its companions. */
interface JointWriteRules {

    StoreBench bench();

    @Test
    default void writesARecordAndItsCompanionsTogether() {
        MessageRecord claim = bench().created();
        MessageRecord saga = shared(claim, "saga");
        MessageRecord timer = companion(claim, "timer");

        List<MessageRecord> first = bench().writtenTogether(List.of(claim.next(RecordState.RELEASED), saga, timer));
        first.forEach(record -> bench().assertStored(record));
        List<MessageRecord> second = bench().writtenTogether(List.of(
                first.get(2).next(RecordState.CLAIMED),
                first.get(0).next(RecordState.COMPLETED),
                first.get(1).next(RecordState.DISPATCHED)));

        assertThat(second)
                .extracting(MessageRecord::key)
                .as("as stored, in the order of the request")
                .containsExactly(timer.key(), claim.key(), saga.key());
        assertThat(second).extracting(MessageRecord::version).containsExactly(2L, 3L, 2L);
        second.forEach(record -> bench().assertStored(record));
        bench().replaced(second.get(1).next(RecordState.DISPATCHED));
        bench().writtenTogether(List.of(found(bench().another(), timer.key()).next(RecordState.DISPATCHED)));
    }

    @Test
    default void keepsTheTrailOfARecordWrittenWithItsCompanions() {
        MessageRecord claim = bench().created();

        List<MessageRecord> together = bench().writtenTogether(
                        List.of(claim.next(RecordState.RELEASED).withTrail(trail()), shared(claim, "saga")));

        assertThat(together.get(0).trail()).isEqualTo(trail());
        together.forEach(record -> bench().assertStored(record));
    }

    @Test
    default void changesNothingWhenOneIsOutdatedWhereverItStands() {
        for (int place = 0; place < 3; place++) {
            MessageRecord claim = bench().created();
            List<MessageRecord> before = bench().writtenTogether(
                            List.of(claim.next(RecordState.CLAIMED), companion(claim, "a"), shared(claim, "b")));
            List<MessageRecord> stored = new ArrayList<>(before);
            stored.set(place, bench().replaced(before.get(place).nextSteps("another", Map.of())));

            JointWrite answer = bench().store()
                    .writeTogether(before.stream()
                            .map(record -> record.next(RecordState.DISPATCHED))
                            .toList());

            assertThat(answer)
                    .as("with the outdated one at place %s", place)
                    .isEqualTo(new JointWrite.Overtaken(before.get(place).key()));
            stored.forEach(record -> bench().assertStored(record));
        }
    }

    @Test
    default void changesNothingWhenACompanionToBeCreatedIsThere() {
        MessageRecord claim = bench().created();
        MessageRecord saga =
                bench().writtenTogether(List.of(shared(claim, "saga"))).get(0);

        JointWrite answer = bench().store()
                .writeTogether(
                        List.of(claim.next(RecordState.COMPLETED), companion(claim, "new"), shared(claim, "saga")));

        assertThat(answer).isEqualTo(new JointWrite.Overtaken(saga.key()));
        bench().assertStored(claim);
        bench().assertStored(saga);
        bench().assertNothingStored(claim.key().companion("new"));
    }

    @Test
    default void changesNothingWhenACompanionToBeReplacedIsGone() {
        MessageRecord claim = bench().created();
        MessageRecord missing = shared(claim, "saga");

        JointWrite answer = bench().store()
                .writeTogether(List.of(
                        claim.next(RecordState.COMPLETED), companion(claim, "new"), missing.next(RecordState.CLAIMED)));

        assertThat(answer).isEqualTo(new JointWrite.Overtaken(missing.key()));
        bench().assertStored(claim);
        bench().assertNothingStored(missing.key());
        bench().assertNothingStored(claim.key().companion("new"));
    }

    /** Several writers race to write a new message each, together with one shared companion. */
    @Test
    default void letsOneOfManyConcurrentJointWritesWin() throws Exception {
        MessageRecord first = bench().created();
        MessageRecord saga =
                bench().writtenTogether(List.of(shared(first, "saga"))).get(0);

        List<JointWrite> answers = bench().race(racer -> racer.store()
                .writeTogether(List.of(
                        claim(new RecordKey(first.key().correlationId(), racer.owner()), racer.owner()),
                        saga.nextSteps(racer.owner(), Map.of()))));

        List<JointWrite.Written> winners = answers.stream()
                .filter(JointWrite.Written.class::isInstance)
                .map(JointWrite.Written.class::cast)
                .toList();
        assertThat(winners).as("those who were told that they wrote").hasSize(1);
        winners.get(0).records().forEach(record -> bench().assertStored(record));
        for (int racer = 0; racer < answers.size(); racer++) {
            if (answers.get(racer) instanceof JointWrite.Overtaken) {
                bench().assertNothingStored(new RecordKey(first.key().correlationId(), "owner-" + racer));
            }
        }
    }

    /** A write is repeated, because the answer to the first one was lost. */
    @Test
    default void isOvertakenByItselfWhenItIsRepeated() {
        MessageRecord claim = bench().created();
        List<MessageRecord> intended =
                List.of(claim.next(RecordState.COMPLETED), shared(claim, "saga").nextSteps("first", Map.of()));
        bench().writtenTogether(List.of(shared(claim, "saga")));
        bench().writtenTogether(intended);

        assertThat(bench().store().writeTogether(intended)).isInstanceOf(JointWrite.Overtaken.class);
        intended.forEach(
                record -> assertThat(found(bench().store(), record.key()).isSameWriteAs(record))
                        .as("owner and version tell who wrote %s", record.key().messageId())
                        .isTrue());
    }

    @Test
    default void namesTheCompanionThatIsTooLargeAndChangesNothing() {
        bench().assumeLimitedContent();
        MessageRecord claim = bench().created();
        MessageRecord huge = withBody(companion(claim, "huge"), (int) bench().largestContent());

        assertThatThrownBy(() -> bench().store()
                        .writeTogether(List.of(claim.next(RecordState.COMPLETED), companion(claim, "small"), huge)))
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining(huge.key().messageId());
        bench().assertStored(claim);
        bench().assertNothingStored(claim.key().companion("small"));
        bench().assertNothingStored(huge.key());
    }

    @Test
    default void holdsCompanionsOfAQuarterOfAMegabyteBesideALargeRecord() {
        MessageRecord claim = bench().created();
        MessageRecord saga = withBody(shared(claim, "saga"), 256 << 10);

        List<MessageRecord> together =
                bench().writtenTogether(List.of(withBody(claim, 1 << 20).next(RecordState.COMPLETED), saga));

        together.forEach(record -> bench().assertStored(record));
    }

    @Test
    default void forgetsFinalCompanionsAfterTheRetentionAndOthersNever() {
        MessageRecord claim = bench().created();
        MessageRecord ended = shared(claim, "ended");
        MessageRecord own = companion(claim, "ended");
        MessageRecord living = shared(claim, "living");
        List<MessageRecord> together = bench().writtenTogether(List.of(
                claim.next(RecordState.DISPATCHED),
                ended.next(RecordState.DISPATCHED).withVersion(1),
                own.next(RecordState.DISPATCHED).withVersion(1),
                living));
        bench().outliveTheRetention();

        int removed = bench().store().removeExpired(100);

        assertThat(removed).isIn(0, 3);
        bench().await().untilAsserted(() -> assertThat(bench().another().find(ended.key()))
                .isNull());
        bench().await().untilAsserted(() -> assertThat(bench().another().find(claim.key()))
                .isNull());
        bench().await().untilAsserted(() -> assertThat(bench().another().find(own.key()))
                .isNull());
        bench().assertStored(together.get(3));
    }

    /** A companion of the record that is not in a final state and not stored yet. */
    private static MessageRecord companion(MessageRecord record, String name) {
        return claim(record.key().companion(name), "first").withSteps(Map.of("state", "{\"cents\":4711}"));
    }

    /** Like {@link #companion}, but shared by the whole partition. */
    private static MessageRecord shared(MessageRecord record, String name) {
        return claim(RecordKey.companion(record.key().correlationId(), name), "first")
                .withSteps(Map.of("state", "{\"cents\":4711}"));
    }

    private static MessageRecord withBody(MessageRecord record, int size) {
        return record.withSteps(Map.of("state", "\"" + "x".repeat(size) + "\""));
    }
}
