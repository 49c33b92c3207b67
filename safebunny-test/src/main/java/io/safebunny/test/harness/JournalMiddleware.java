// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;
import io.safebunny.test.harness.Happening.Kind;
import java.util.function.Supplier;
import org.springframework.core.Ordered;

/** Records handlers' failures in the before group, and completed messages in the after group. Thread-safe. */
public final class JournalMiddleware implements ConsumeMiddleware, Ordered {

    private final Group group;
    private final Supplier<String> node;
    private final Journal journal;

    public JournalMiddleware(Group group, Supplier<String> node, Journal journal) {
        this.group = group;
        this.node = node;
        this.journal = journal;
    }

    @Override
    public Group group() {
        return group;
    }

    /** {@inheritDoc} This is the outermost middleware. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void invoke(ConsumeContext context, Next next) throws Exception {
        if (group == Group.AFTER) {
            next.run();
            if (context.failure() == null) {
                write(context, Kind.COMPLETED, "");
            }
            return;
        }
        try {
            next.run();
        } catch (Throwable e) {
            journal.failed(node.get(), context.messageId(), e);
            write(context, Kind.FAILED, Journal.text(e));
            throw e;
        }
    }

    private void write(ConsumeContext context, Kind kind, String detail) {
        journal.add(new Happening(
                journal.now(),
                node.get(),
                context.correlationId(),
                context.messageId(),
                context.type(),
                kind,
                detail,
                null));
    }
}
