// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.failure.MisuseException;
import io.safebunny.incident.writing.Reproduction;
import io.safebunny.incident.writing.TestWriter;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.saga.management.SagaSupervision;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes tests of what failed in production. Thread-safe, if the masker is. */
public final class Incidents implements NodeFeature {

    private final Node node;
    private final SagaSupervision sagas;
    private final QueuePoisonMessages poison;

    /** One test at a time, because each may take some megabytes. */
    private final Semaphore turn = new Semaphore(1);

    public Incidents(Node node, SagaSupervision sagas, QueuePoisonMessages poison) {
        this.node = node;
        this.sagas = sagas;
        this.poison = poison;
    }

    @Override
    public List<Object> offers() {
        return List.of(this);
    }

    /**
     * A test of a saga that is stuck, waits or has failed.
     *
     * @param home package of the application; empty if it is not known
     * @return {@code null} if there is no such saga
     * @throws MisuseException SB-5012 if the node has no such saga; SB-5027 if no test can be made of it
     */
    public @Nullable Incident ofSaga(String saga, String id, BodyMasker masker, String home) {
        Sources sources = sources(masker, home);
        return alone(id, () -> written(new SagaIncidents(sources).of(saga, id), sources));
    }

    /**
     * A test of a message in the poison queue.
     *
     * @param digest which of its copies; {@code null} for any
     * @param home package of the application; empty if it is not known
     * @return {@code null} if there is no such copy
     * @throws MisuseException SB-5027 if no test can be made of it
     */
    public @Nullable Incident ofMessage(String messageId, @Nullable String digest, BodyMasker masker, String home) {
        Sources sources = sources(masker, home);
        return alone(messageId, () -> written(new MessageIncidents(sources).of(messageId, digest), sources));
    }

    private Sources sources(BodyMasker masker, String home) {
        return new Sources(
                node,
                sagas,
                poison,
                new Masking(masker, node.parts().codecs(), node.parts().serializers()),
                home);
    }

    private @Nullable Incident alone(String id, Supplier<@Nullable Incident> made) {
        if (!turn.tryAcquire()) {
            throw refused("this", id, "another one is being made on this instance", "Try again in a moment.");
        }
        try {
            return made.get();
        } finally {
            turn.release();
        }
    }

    private static @Nullable Incident written(@Nullable Reproduction made, Sources sources) {
        return made == null
                ? null
                : new Incident(
                        TestWriter.className(made),
                        TestWriter.source(made),
                        sources.masking().looks());
    }

    /** @param whatToDo a sentence */
    static MisuseException refused(String what, String id, String why, String whatToDo) {
        return new MisuseException(
                MisuseException.INCIDENT,
                "No test can be made of %s [id=%s]: %s. %s".formatted(what, Names.printable(id), why, whatToDo));
    }
}
