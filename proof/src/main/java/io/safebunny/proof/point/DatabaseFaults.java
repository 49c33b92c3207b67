// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

import io.safebunny.store.StoreUnavailableException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;

/** Faults as a driver would report them. */
record DatabaseFaults(Faults faults) {

    private static final String CONNECTION_FAILURE = "08006";

    void before(Operation operation) throws SQLException {
        told(() -> faults.reached(Point.before(operation)));
    }

    void after(Operation operation) throws SQLException {
        told(() -> faults.reached(Point.after(operation)));
    }

    /** Called for a statement that is not a point. */
    void asked() throws SQLException {
        told(faults::asksStore);
    }

    private static void told(Runnable passing) throws SQLException {
        try {
            passing.run();
        } catch (StoreUnavailableException e) {
            throw new SQLNonTransientConnectionException(e.getMessage(), CONNECTION_FAILURE, e);
        }
    }
}
