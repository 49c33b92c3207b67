// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.RunState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Shows the groups of what operations of this instance have read. A dry run of all that there is counts the queue. Takes no copies.
 * Thread-safe.
 */
final class PoisonCounts {

    private static final String LATEST = "latest";
    private static final int SHOWN = 100;

    private final PoisonMessages poison;

    PoisonCounts(PoisonMessages poison) {
        this.poison = poison;
    }

    /**
     * The groups of one operation that match.
     *
     * @param asked id of the operation; {@code latest} for the last count, one that runs or has ended before one that was broken off
     */
    WebEndpointResponse<Object> groups(
            String asked,
            @Nullable String archived,
            @Nullable String type,
            @Nullable String reason,
            @Nullable String exception,
            @Nullable String after,
            @Nullable String limit) {
        Asked.absent("archived", asked.equals(LATEST) ? null : archived, "it is for operation=latest");
        boolean ofArchive = Asked.flag("archived", archived);
        PoisonFilter filter =
                PoisonFilter.all().withType(type).withReason(reason).withException(exception);
        return Answers.found(
                () -> find(asked, ofArchive)
                        .map(operation -> OperationViews.groups(
                                operation,
                                filter::matches,
                                Asked.wholeNumber("after", after),
                                Asked.number("limit", limit, SHOWN, SHOWN)))
                        .orElse(null),
                missing(asked, ofArchive));
    }

    private Optional<PoisonOperation> find(String asked, boolean archived) {
        List<PoisonOperation> operations = poison.operations();
        if (!asked.equals(LATEST)) {
            return operations.stream()
                    .filter(operation -> operation.id().equals(asked))
                    .findFirst();
        }
        Kind kind = archived ? Kind.RESTORE : Kind.REPLAY;
        return operations.stream()
                .filter(operation -> operation.kind() == kind && OperationViews.isCount(operation))
                .min(Comparator.comparing(PoisonCounts::isBrokenOff)); // the first one of these
    }

    /** One that was stopped or has failed does not replace one that is whole. */
    private static boolean isBrokenOff(PoisonOperation operation) {
        RunState state = operation.progress().state();
        return state == RunState.CANCELLED || state == RunState.FAILED;
    }

    private static String missing(String asked, boolean archived) {
        return asked.equals(LATEST)
                ? "Nobody has counted yet on this instance, or a hundred operations ago. Count with POST safebunnypoison {\"action\":\"%s\",\"all\":true,\"dryRun\":true,\"limit\":100000,\"reason\":\"…\"}."
                        .formatted(archived ? "restore" : "replay")
                : "There is no such operation on this instance [operation=%s]: it remembers the last 100. GET safebunny/operations lists them, and operation=latest is the last dry run of all with the limit 100000."
                        .formatted(Names.printable(asked));
    }
}
