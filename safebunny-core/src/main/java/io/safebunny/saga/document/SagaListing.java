// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.saga.SagaStatus;
import java.util.List;

/**
 * The status under which the store lists a saga. Active sagas that are blocked have one of their own, so that they can be
 * counted.
 */
public final class SagaListing {

    /** Active, but waiting for a message that was set aside. */
    public static final String BLOCKED = "BLOCKED";

    private SagaListing() {}

    /** All listing statuses of sagas with this status. */
    public static List<String> of(SagaStatus status) {
        return status == SagaStatus.ACTIVE ? List.of(status.name(), BLOCKED) : List.of(status.name());
    }

    static String of(SagaStatus status, SagaBlocks blocks) {
        return status == SagaStatus.ACTIVE && !blocks.all().isEmpty() ? BLOCKED : status.name();
    }
}
