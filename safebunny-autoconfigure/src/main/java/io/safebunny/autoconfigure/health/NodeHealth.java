// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.health;

import io.safebunny.operations.NodeCondition;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * The condition of a part of the node as Spring Boot's health. {@code DOWN}: messages do not flow. {@code DEGRADED}: they do, but an
 * operator should look. A restart cures neither. Pure.
 */
final class NodeHealth {

    /** Spring Boot maps this status to HTTP 200. */
    static final Status DEGRADED = new Status("DEGRADED");

    private NodeHealth() {}

    static Health of(NodeCondition condition) {
        Status status =
                switch (condition.level()) {
                    case UP -> Status.UP;
                    case UNKNOWN -> Status.UNKNOWN;
                    case DEGRADED -> DEGRADED;
                    case DOWN -> Status.DOWN;
                };
        return Health.status(status).withDetails(condition.details()).build();
    }
}
