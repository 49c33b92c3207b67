// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * A part of the {@link NodeEndpoint}; {@link EndpointsAutoConfiguration} gives it its name. The path begins after that name, so the
 * section's own path is empty. The map has the parameters of the request that are present. The result is {@code null} if the path leads
 * to nothing. Thread-safe.
 */
interface Section {

    /** A view without entries. */
    static Section of(Supplier<Map<String, Object>> view) {
        return (path, asked, user) -> path.isEmpty() ? view.get() : null;
    }

    /** A view, and each of its entries by its name. */
    static Section ofEntries(Supplier<Map<String, Object>> view) {
        return (path, asked, user) ->
                path.isEmpty() ? view.get() : path.size() == 1 ? view.get().get(path.get(0)) : null;
    }

    /** The parameters of {@link #look}. Requests with others are refused before. */
    default Set<String> looksBy() {
        return Set.of();
    }

    /** The parameters of {@link #change}; none if nothing changes here. Requests with others are refused before. */
    default Set<String> changesBy() {
        return Set.of();
    }

    @Nullable
    Object look(List<String> path, Map<String, String> asked, SecurityContext user);

    default @Nullable Object change(List<String> path, Map<String, String> asked, SecurityContext user) {
        return null;
    }

    default @Nullable Object cancel(List<String> path, SecurityContext user) {
        return null;
    }
}
