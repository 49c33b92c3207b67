// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Results of {@code once}, where the type of the message is marked. */
class EncryptedStepsTest {

    private static final String CODE = "authorisation4711of0815";
    private static final Canary CANARY = new Canary(CODE);
    private static final String POISON = "billing-poison";

    @Encrypted(key = "payments")
    record Charge(String card) {}

    record Plain(String card) {}

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final WrittenStore store = new WrittenStore(new MemoryMessageStore(timeline, Duration.ofDays(7)));
    private final MemoryKeys keys = MemoryKeys.of("payments");
    private Set<String> acceptClear = Set.of();
    private final List<String> runs = new ArrayList<>();
    private final List<String> results = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();
    private boolean isFailing = true;
    private Runnable beforeTheStep = () -> {};

    private SafeBunnyEngine node(String name, MemoryKeys own, HandlerDefinition... handlers) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name),
                        new MemoryTransport(broker, TopologyOptions.defaults(), Runnable::run),
                        timeline)
                .store(store)
                .codecs(new Codecs(List.of(new EncryptingCodec(own, timeline, acceptClear)), null))
                .callbacks(Runnable::run)
                .build());
        engine.start(List.of(handlers));
        return engine;
    }

    private SafeBunnyEngine billing(Class<?> type) {
        return node(
                "billing",
                keys,
                new HandlerDefinition(
                        "charge",
                        type.getSimpleName(),
                        type,
                        List.of("orders"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(2, Duration.ofMinutes(1))),
                        (payload, context) -> charge(context)));
    }

    private void charge(MessageContext context) {
        ids.add(context.messageId());
        beforeTheStep.run();
        results.add(context.once("charge", String.class, () -> {
            runs.add(context.messageId());
            return CODE;
        }));
        if (isFailing) {
            throw new IllegalStateException("after the step");
        }
    }

    private void publish(String correlationId, Object payload) {
        node("orders", keys).bunny().publish(payload, PublishOptions.none().withCorrelationId(correlationId));
    }

    private List<Object> poisonReasons() {
        return broker.messages(POISON).stream()
                .map(message -> message.headers().get("sb-poison-reason"))
                .toList();
    }

    private MessageRecord record(String correlationId, int which) {
        return Objects.requireNonNull(store.find(new RecordKey(correlationId, ids.get(which))));
    }

    private void change(MessageRecord record, String result) {
        Map<String, String> steps = new LinkedHashMap<>(record.steps());
        steps.put("charge", result);
        assertThat(store.replace(record.nextSteps(record.owner(), steps))).isNotNull();
    }

    @Test
    void areFoundNowhereInTheStoreAndGivenToTheRetry() {
        billing(Charge.class);
        publish("c-1", new Charge("4242"));
        isFailing = false;
        timeline.advance(Duration.ofMinutes(1));

        assertThat(runs).hasSize(1);
        assertThat(results).containsExactly(CODE, CODE);
        assertThat(store.written).anyMatch(text -> text.contains("sealed:")).noneMatch(CANARY::isIn);
    }

    @Test
    void areFoundWhereTheTypeIsNotMarked() {
        billing(Plain.class);
        publish("c-1", new Plain("4242"));

        assertThat(store.written).anyMatch(CANARY::isIn);
    }

    @Test
    void ofAnotherMessageAreNotTaken() {
        billing(Charge.class);
        publish("c-1", new Charge("1"));
        publish("c-2", new Charge("2"));
        change(record("c-2", 1), Objects.requireNonNull(record("c-1", 0).steps().get("charge")));
        timeline.advance(Duration.ofMinutes(1));

        assertThat(runs).hasSize(2);
        assertThat(results).hasSize(3); // the second time of the first
        assertThat(poisonReasons()).containsExactly("undecryptable");
    }

    @Test
    void inClearAreRefused() {
        billing(Charge.class);
        publish("c-1", new Charge("1"));
        change(record("c-1", 0), "\"forged\"");
        timeline.advance(Duration.ofMinutes(1));

        assertThat(results).containsExactly(CODE);
        assertThat(poisonReasons()).containsExactly("not-encrypted");
    }

    @Test
    void inClearAreTakenWhileTheTypeChangesOver() {
        acceptClear = Set.of("Charge");
        billing(Charge.class);
        publish("c-1", new Charge("1"));
        change(record("c-1", 0), "\"older\"");
        timeline.advance(Duration.ofMinutes(1));

        assertThat(results).containsExactly(CODE, "older");
    }

    /** The message could be read, and nothing could be encrypted any more: after the step it would be too late. */
    @Test
    void aStepDoesNotRunWhileItsResultCouldNotBeStored() {
        billing(Charge.class);
        beforeTheStep = () -> {
            if (ids.size() == 1) {
                keys.goAway();
            }
        };
        isFailing = false;
        publish("c-1", new Charge("1"));
        timeline.advance(Duration.ofMinutes(5));
        assertThat(runs).isEmpty();
        keys.comeBack();
        timeline.advance(Duration.ofSeconds(5));

        assertThat(runs).hasSize(1);
        assertThat(results).containsExactly(CODE);
        assertThat(poisonReasons()).isEmpty();
        assertThat(record("c-1", 0).attempt()).isZero();
    }
}
