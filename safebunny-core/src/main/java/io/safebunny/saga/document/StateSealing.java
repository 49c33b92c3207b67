// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handling.Sealing;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.node.Node;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Encrypts the states of one saga class, each bound to its saga, and to the version in which it is written. Thread-safe. */
final class StateSealing {

    private final String saga;
    private final String node;
    private final Sealing sealing;

    private StateSealing(String saga, String node, Sealing sealing) {
        this.saga = saga;
        this.node = node;
        this.sealing = sealing;
    }

    /** {@code null} if states are stored in clear. */
    static @Nullable StateSealing of(SagaDefinition saga, Node node) {
        Class<?> marked = saga.encryptedAs();
        Sealing sealing =
                marked == null ? null : Sealing.by(node.parts().codecs().needed(marked));
        return sealing == null ? null : new StateSealing(saga.name(), node.name(), sealing);
    }

    /**
     * @param state the same as the text, read
     * @throws NotHandledException if keys cannot be had at the moment
     * @throws UnknownKeyException if there is no key of the class's name
     * @throws InvalidPublicationException if the state does not say whom it is about, and must
     */
    String sealed(SagaDocument document, int stateVersion, String json, Supplier<Object> state) {
        return sealing.ofPayload(state).seal(place(document, stateVersion), json);
    }

    /**
     * @param sealed as stored
     * @throws NotHandledException if keys cannot be had at the moment
     * @throws UnknownKeyException if the key with which it was sealed is missing
     * @throws SubjectErasedException if the person was erased whom it is about
     * @throws InvalidMessageException {@code undecryptable}
     */
    String opened(SagaDocument document, String sealed) {
        return sealing.open(place(document, document.stateVersion()), what(saga, document), sealed);
    }

    /** @throws InvalidMessageException {@code not-encrypted}: its state must not be in clear */
    void requireMayBeClear(SagaDocument document) {
        Envelope place = place(document, document.stateVersion());
        if (!sealing.takesPlain(place)) {
            throw new InvalidMessageException(
                    PoisonReason.NOT_ENCRYPTED,
                    "%s is not encrypted, but its class is marked with @Encrypted. While a class changes over, name %s in safebunny.encryption.accept-clear, and replay the message."
                            .formatted(what(saga, document), place.type()));
        }
    }

    static String what(String saga, SagaDocument document) {
        return "The state of saga %s %s".formatted(saga, document.id());
    }

    /** One state of this saga, and of no other. */
    private Envelope place(SagaDocument document, int stateVersion) {
        return Sealing.place("state", document.id(), "saga." + saga, node, stateVersion);
    }
}
