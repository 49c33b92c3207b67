// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

/** A lane and its state; guarded by the lock of {@link DirectPath}. */
final class Track {

    final Lane lane;
    State state = State.IDLE;
    int looks;

    Track(String correlationId) {
        this.lane = new Lane(correlationId);
    }

    enum State {
        /** Not queued; adding a row makes it ready. */
        IDLE,
        READY,
        /** The table is being queried for its rows, or will be again. */
        WAITING,
        SENDING
    }
}
