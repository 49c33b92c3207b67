// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of the sagas that match a query, oldest first. Immutable.
 *
 * @param scanned how many were read for this page. A page reads at most 1,000, so a page of blocked sagas may have few or none
 *     although more follow
 * @param next {@link SagaQuery#after} for the next page; {@code null} on the last page
 */
public record SagaPage(
        List<SagaView> sagas, int scanned, @Nullable String next) {

    public SagaPage {
        sagas = List.copyOf(sagas);
    }
}
