// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.handling.Handling;
import io.safebunny.message.BunnyUndone;
import io.safebunny.message.Envelope;
import io.safebunny.publishing.LibraryMessages;

/** Tells the saga's node that an undo has ended well. Thread-safe. */
final class UndoAcknowledgement {

    /** There is one per undo. */
    private static final String KEY = "1";

    private final LibraryMessages messages;

    UndoAcknowledgement(LibraryMessages messages) {
        this.messages = messages;
    }

    /** Adds it to the publications of the handling, if that is of an undo; so it is stored with the completion. */
    void addTo(Handling handling) {
        Envelope undo = handling.message();
        String step = undo.undoes();
        if (step != null) {
            handling.collect(messages.after(undo, new BunnyUndone(undo.node(), step), KEY));
        }
    }
}
