// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;

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
