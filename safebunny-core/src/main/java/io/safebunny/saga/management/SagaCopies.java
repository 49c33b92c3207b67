// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.identity.RandomIds;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.SagaCopy;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.store.JointWrite;
import io.safebunny.store.record.MessageRecord;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/** Continues copies of sagas that began elsewhere, for tests. Thread-safe. */
public final class SagaCopies {

    private final Node node;
    private final SagaMessages messages;
    private final Supplier<List<SagaDefinition>> definitions;

    /** @param definitions supplies the sagas of the node */
    SagaCopies(Node node, SagaMessages messages, Supplier<List<SagaDefinition>> definitions) {
        this.node = node;
        this.messages = messages;
        this.definitions = definitions;
    }

    /**
     * Stores a copy as this node's saga, as if it had last been changed now, and arms its timeouts: those that are over come at once.
     *
     * @param copy as it is stored
     * @throws MisuseException SB-5001 if this is not a copy; SB-5012 if the node has no such saga, the id cannot be one, or there is a saga
     *     with this id already
     */
    public void store(String saga, String sagaId, String copy) {
        List<String> names =
                definitions.get().stream().map(SagaDefinition::name).toList();
        if (!names.contains(saga) || !Names.isCorrelationId(sagaId)) {
            throw refused(
                    saga,
                    sagaId,
                    "the node has the sagas %s, and an id matches [A-Za-z0-9._:-]{1,64}. Use one of these, and a valid id"
                            .formatted(names));
        }
        Instant now = node.timeline().now();
        SagaDocument document = SagaCopy.read(saga, sagaId, copy, now);
        String owner = RandomIds.next(node.timeline().random());
        MessageRecord record =
                document.write(null, owner, now, now.plus(node.options().sagaRetention()));
        if (node.requireStore().writeTogether(List.of(record)) instanceof JointWrite.Overtaken) {
            throw refused(saga, sagaId, "there is one with this id already. Use another id, or delete that one first");
        }
        if (document.status() == SagaStatus.ACTIVE) {
            document.timeouts().all().forEach((name, timeout) -> node.sender()
                    .send(messages.alarm(saga, sagaId, name, timeout, now))
                    .await());
        }
    }

    private static MisuseException refused(String saga, String sagaId, String why) {
        return new MisuseException(
                MisuseException.SAGA,
                "The copy of a saga cannot be stored [saga=%s, id=%s]: %s."
                        .formatted(Names.printable(saga), Names.printable(sagaId), why));
    }
}
