// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of everything that a store holds, for people who ask. Immutable.
 *
 * @param rows perhaps none, although more follow
 * @param unreadable how many were left out, because a newer version of SafeBunny wrote them
 * @param next where the next part begins; {@code null} if this was the last
 */
public record StoredPage<T>(
        List<T> rows, int unreadable, @Nullable String next) {

    public StoredPage {
        rows = List.copyOf(rows);
    }
}
