// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.KEY;
import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.fixture.ForgedBody;
import io.safebunny.fixture.Wires;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import org.junit.jupiter.api.Test;

/** Somebody publishes under the id of a message to come, before it. */
class ForgedTwinTest {

    private final DedupBench bench = new DedupBench();

    private static Envelope withBody(String body) {
        return Wires.orderPlaced().withBody(body).envelope();
    }

    private void expectSetAside(Envelope message) {
        int before = bench.runs.size();
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> bench.deliver(bench.instance, message, execution -> {}))
                .withMessageContaining(MESSAGE.id())
                .satisfies(e -> assertThat(e.reason()).isEqualTo(PoisonReason.HANDLER_FAILED));
        assertThat(bench.runs).hasSize(before);
    }

    @Test
    void theGenuineMessageIsSetAsideAndDoesNotVanishWhenTheForgedOneHasItsChecksums() throws Exception {
        bench.deliver(bench.instance, withBody(ForgedBody.twinOf(MESSAGE.type(), MESSAGE.body())), execution -> {});

        expectSetAside(MESSAGE);
    }

    @Test
    void theGenuineMessageIsSetAsideWhenTheForgedOneHasAnyOtherBody() throws Exception {
        bench.deliver(bench.instance, withBody("{\"orderId\":\"forged\"}"), execution -> {});

        expectSetAside(MESSAGE);
    }

    @Test
    void typeAndBodyAreNotReadAsOne() throws Exception {
        bench.deliver(
                bench.instance,
                Wires.orderPlaced().with("type", "Order").withBody("Placed{}").envelope(),
                e -> {});

        expectSetAside(withBody("{}"));
    }

    @Test
    void recordsOfBeforeAreComparedAsBefore() throws Exception {
        Fingerprint before =
                new Fingerprint(Fingerprint.CHECKSUMS, ForgedBody.checksums(MESSAGE.type(), MESSAGE.body()), 0);
        MessageRecord claim = bench.store.create(MessageRecord.claim(KEY, "before", LEASE, 0, before));
        assertThat(bench.store.replace(claim.next(RecordState.DISPATCHED))).isNotNull();

        bench.deliver(execution -> {});
        assertThat(bench.runs).isEmpty();
        assertThat(bench.counted("hit")).isEqualTo(1);
        expectSetAside(withBody("{\"orderId\":\"o-2\"}"));
    }
}
