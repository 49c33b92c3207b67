// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.rabbit.instance.InstanceMain;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.NodeUnderTest;
import java.io.IOException;

/** The process of one consuming instance. */
final class ConsumerMain {

    private ConsumerMain() {}

    public static void main(String... arguments) throws IOException {
        InstanceOptions options = InstanceOptions.of(arguments);
        InstanceMain.serve(
                ledger -> NodeUnderTest.startWith(options, bunny -> Nodes.handlers(options.node(), bunny, ledger)));
    }
}
