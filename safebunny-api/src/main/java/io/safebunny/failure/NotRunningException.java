// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/** The node has not started yet, or has stopped. Thrown at once, on every transport; nothing was sent. */
public final class NotRunningException extends PublishException {

    private NotRunningException(Publication publication, String why) {
        super("SB-2006", publication, why, null);
    }

    /** Before the application context has started the node. */
    public static NotRunningException notStarted(Publication publication) {
        return new NotRunningException(
                publication,
                "this node has not started yet, so there is no connection; nothing was sent. Publish from an ApplicationRunner, a listener of ApplicationReadyEvent or a SmartLifecycle bean of the default phase instead of a constructor or @PostConstruct, or in a transaction with the outbox.");
    }

    /** After the application context has stopped the node. */
    public static NotRunningException stopped(Publication publication) {
        return new NotRunningException(
                publication,
                "this node has stopped, with its application context; nothing was sent. Publish before that: from a handler, a request or SmartLifecycle.stop of the default phase instead of @PreDestroy.");
    }
}
