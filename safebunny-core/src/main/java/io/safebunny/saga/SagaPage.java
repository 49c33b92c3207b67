// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the sagas that were asked for, oldest first. Immutable.
 *
 * @param scanned how many were read for it; a page looks through 1,000 at most, so one of blocked sagas may have few, and go on
 * @param next {@link SagaQuery#after} of the page after it; {@code null} when this is the last one
 */
public record SagaPage(
        List<SagaView> sagas, int scanned, @Nullable String next) {

    public SagaPage {
        sagas = List.copyOf(sagas);
    }
}
