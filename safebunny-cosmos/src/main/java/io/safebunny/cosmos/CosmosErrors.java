// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosException;
import io.safebunny.cosmos.CosmosCalls.Operation;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Translates error responses of the service. Exception texts hold status codes and names, never keys or content. */
final class CosmosErrors {

    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int PRECONDITION_FAILED = 412;
    private static final int TOO_LARGE = 413;
    private static final int THROTTLED = 429;
    private static final int PARTITION_FULL = 1014;

    private static final long SERVICE_LIMIT = 2L * 1024 * 1024;
    private static final String PARTITION_IS_FULL =
            "the partition of this correlation id has reached 20 GB. Use more correlation ids, or a shorter retention.";

    private CosmosErrors() {}

    /**
     * Whether the document does not exist. With a sub-status, the same status means that the container does not exist, or that the replica
     * lags behind.
     */
    static boolean isMissing(Throwable thrown) {
        return has(NOT_FOUND, thrown) && ((CosmosException) thrown).getSubStatusCode() == 0;
    }

    static boolean isConflict(Throwable thrown) {
        return has(CONFLICT, thrown);
    }

    /** Whether another version is stored. */
    static boolean isFenced(Throwable thrown) {
        return has(PRECONDITION_FAILED, thrown);
    }

    static boolean isTooLarge(Throwable thrown) {
        return has(TOO_LARGE, thrown);
    }

    /**
     * Whether the service will never accept this one document: it is malformed, or its partition is full. With other sub-statuses the same
     * status codes mean a problem with every document: a wrong partition key, a firewall, an invalid key.
     */
    static boolean isDocumentRefused(Throwable thrown) {
        return thrown instanceof CosmosException e && Answer.of(e).refusesDocument();
    }

    /**
     * Whether an operation of a batch conflicts with what is stored: the document exists although it should not, is missing, or
     * has another version.
     */
    static boolean isOvertaken(int status, int subStatus) {
        return status == CONFLICT || status == PRECONDITION_FAILED || (status == NOT_FOUND && subStatus == 0);
    }

    /** The relevant parts of an error response. */
    record Answer(
            int status,
            int subStatus,
            @Nullable String activity,
            @Nullable Duration retryAfter) {
        static Answer of(CosmosException e) {
            return new Answer(e.getStatusCode(), e.getSubStatusCode(), e.getActivityId(), e.getRetryAfterDuration());
        }

        private boolean refusesDocument() {
            return (status == BAD_REQUEST && subStatus == 0) || (status == FORBIDDEN && subStatus == PARTITION_FULL);
        }
    }

    /** Exception for a failed write: "refused" if the record can never be stored, "unavailable" if it may have been stored. */
    static SafeBunnyException ofWrite(Operation operation, String container, RecordKey key, CosmosException e) {
        return ofWrite(operation, container, key, Answer.of(e), e);
    }

    static SafeBunnyException ofWrite(
            Operation operation, String container, RecordKey key, Answer answer, @Nullable CosmosException cause) {
        if (answer.status == TOO_LARGE) {
            return new RecordTooLargeException(key, SERVICE_LIMIT, SERVICE_LIMIT);
        }
        if (answer.refusesDocument()) {
            return new RecordRefusedException(
                    key,
                    "%s [container=%s, status=%s, sub-status=%s, activity=%s]"
                            .formatted(
                                    answer.status == BAD_REQUEST
                                            ? "Cosmos DB rejects it as malformed. Check the message's ids and step results for unusual values."
                                            : PARTITION_IS_FULL,
                                    container,
                                    answer.status,
                                    answer.subStatus,
                                    answer.activity),
                    cause);
        }
        return unavailable(operation, container, answer, cause);
    }

    private static boolean has(int status, Throwable thrown) {
        return thrown instanceof CosmosException e && e.getStatusCode() == status;
    }

    static boolean isNotFound(CosmosException e) {
        return e.getStatusCode() == NOT_FOUND;
    }

    static boolean isRefused(CosmosException e) {
        return e.getStatusCode() == UNAUTHORIZED || e.getStatusCode() == FORBIDDEN;
    }

    static StoreUnavailableException unavailable(Operation operation, String container, CosmosException e) {
        return unavailable(operation, container, Answer.of(e), e);
    }

    private static StoreUnavailableException unavailable(
            Operation operation, String container, Answer answer, @Nullable CosmosException cause) {
        return new StoreUnavailableException(
                "Cosmos DB failed a %s [container=%s, status=%s, sub-status=%s, activity=%s]: %s"
                        .formatted(
                                operation.word(),
                                container,
                                answer.status,
                                answer.subStatus,
                                answer.activity,
                                explain(answer, "it is unknown whether it took effect. SafeBunny retries later.")),
                patience(answer),
                cause);
    }

    /** Exception for a search, which nobody repeats but who asked. */
    static StoreUnavailableException ofSearch(String which, String container, String advice, CosmosException e) {
        Answer answer = Answer.of(e);
        String why = answer.status == THROTTLED
                ? "the provisioned throughput is used up. %s again later, or raise it.".formatted(advice)
                : explain(answer, advice + " again.");
        return new StoreUnavailableException(
                "Cosmos DB failed a search [%s, container=%s, status=%s, sub-status=%s, activity=%s]: %s"
                        .formatted(which, container, answer.status, answer.subStatus, answer.activity, why),
                null,
                e);
    }

    private static @Nullable Duration patience(Answer answer) {
        Duration asked = answer.status == THROTTLED ? answer.retryAfter : null;
        return asked == null || asked.isZero() ? null : asked;
    }

    private static String explain(Answer answer, String otherwise) {
        return switch (answer.status) {
            case THROTTLED -> "the provisioned throughput is used up. Either raise it or accept the pauses.";
            case UNAUTHORIZED -> "the key or token is not valid. Renew the credentials of the application.";
            case FORBIDDEN ->
                answer.subStatus == PARTITION_FULL
                        ? PARTITION_IS_FULL
                        : "the credentials do not permit it, or this region does not accept writes. Grant a data role that may"
                                + " read and write items, or check the firewall.";
            case NOT_FOUND -> "the container is missing, or a replica lags behind. Check that the container exists.";
            default -> otherwise;
        };
    }
}
