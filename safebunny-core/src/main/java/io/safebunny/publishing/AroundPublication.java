// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.handling.MessageScope;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.DetailsByType;
import io.safebunny.observation.Observations;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The code that runs around a publication. Immutable.
 *
 * @param middlewares of the application, outermost first
 * @param scope the scope in which the middlewares run
 * @param details how much is shown of failures
 * @param threads complete the futures of {@code publishAsync} and run the after group, because callers' code must not run on an I/O thread
 */
public record AroundPublication(
        List<PublishMiddleware> middlewares,
        MessageScope scope,
        Executor threads,
        Observations observations,
        BoundedLog log,
        DetailsByType details) {

    List<PublishMiddleware> of(Group group) {
        return middlewares.stream()
                .filter(middleware -> middleware.group() == group)
                .toList();
    }
}
