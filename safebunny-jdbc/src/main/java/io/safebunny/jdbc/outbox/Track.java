// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

/** A lane and its state. Guarded by the lock of the {@link DirectPath}. */
final class Track {

    final Lane lane;
    State state = State.IDLE;
    int looks;

    Track(String correlationId) {
        this.lane = new Lane(correlationId);
    }

    enum State {
        /** Not queued; whoever adds a row makes it ready. */
        IDLE,
        READY,
        /** The table is being asked about its rows, or will be asked again. */
        WAITING,
        SENDING
    }
}
