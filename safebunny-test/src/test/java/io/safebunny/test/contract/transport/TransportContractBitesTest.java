// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.test.contract.bites.ContractBites;
import org.junit.jupiter.api.Tag;

@Tag("once")
class TransportContractBitesTest extends ContractBites {

    TransportContractBitesTest() {
        super(
                TransportContract.class,
                BrokenTransportContract.class,
                new BrokenRouting(),
                new BrokenFidelity(),
                new BrokenConsuming(),
                new BrokenPace(),
                new BrokenOrder(),
                new BrokenDelays(),
                new BrokenControl());
    }
}
