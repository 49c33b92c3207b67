// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static io.safebunny.docs.GuideListingsTest.log;

import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;
import org.springframework.stereotype.Component;

@Component
class Outcomes implements ConsumeMiddleware {

    @Override
    public Group group() {
        return Group.AFTER;
    }

    @Override
    public void invoke(ConsumeContext context, Next next) throws Exception {
        log.info("{} {}: {}", context.type(), context.messageId(), context.failure() == null ? "done" : "given up");
        next.run();
    }
}
