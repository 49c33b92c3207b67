// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.saga.SagaStatus;
import java.util.List;

/** What sagas are listed under in the store: their status, and active ones apart that are blocked, so that these can be counted. */
public final class SagaListing {

    /** Those that are active, and wait for what was set aside. */
    public static final String BLOCKED = "BLOCKED";

    private SagaListing() {}

    /** All that sagas of that status are listed under. */
    public static List<String> of(SagaStatus status) {
        return status == SagaStatus.ACTIVE ? List.of(status.name(), BLOCKED) : List.of(status.name());
    }

    static String of(SagaStatus status, SagaBlocks blocks) {
        return status == SagaStatus.ACTIVE && !blocks.all().isEmpty() ? BLOCKED : status.name();
    }
}
