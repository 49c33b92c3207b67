// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.http.Asked;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sagas that a request selects. Immutable.
 *
 * @param sagaId the saga's id as a parameter, for ids that cannot be part of a path, such as two dots
 */
record SagaLook(
        @Nullable String saga,
        @Nullable String sagaId,
        @Nullable String state,
        @Nullable String after,
        @Nullable String limit) {

    static SagaLook one(@Nullable String saga, @Nullable String sagaId) {
        return new SagaLook(saga, sagaId, null, null, null);
    }

    /** The id from the path or the parameter; {@code null} if neither has one. */
    @Nullable
    String id(String[] path) {
        if (path.length == 1) {
            return sagaId;
        }
        Asked.absent("sagaId", sagaId, "the path says it");
        return Stream.of(path).skip(1).collect(Collectors.joining("/"));
    }

    boolean isForCounts() {
        return saga == null && sagaId == null && state == null && after == null && limit == null;
    }

    void requireOne() {
        String why = "it is for lists only";
        Asked.absent("state", state, why);
        Asked.absent("after", after, why);
        Asked.absent("limit", limit, why);
    }

    void requireNothing() {
        String why = "it is for sagas only";
        Asked.absent("saga", saga, why);
        Asked.absent("sagaId", sagaId, why);
        Asked.absent("state", state, why);
        Asked.absent("after", after, why);
        Asked.absent("limit", limit, why);
    }
}
