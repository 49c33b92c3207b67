// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

import io.safebunny.test.Broker;
import io.safebunny.test.BunnyTest;
import org.springframework.context.annotation.Import;

@BunnyTest(properties = "safebunny.node=billing", broker = Broker.REAL)
@Import(BillingTest.FakeBank.class)
class BillingOnRabbitIT extends BillingTest {}
