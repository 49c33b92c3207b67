// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.pipeline.ConsumeContext;
import io.safebunny.pipeline.ConsumeMiddleware;
import io.safebunny.pipeline.Group;
import io.safebunny.pipeline.Next;

/** A middleware of the after group. */
record After(ConsumeMiddleware middleware) implements ConsumeMiddleware {

    @Override
    public Group group() {
        return Group.AFTER;
    }

    @Override
    public void invoke(ConsumeContext context, Next next) throws Exception {
        middleware.invoke(context, next);
    }
}
