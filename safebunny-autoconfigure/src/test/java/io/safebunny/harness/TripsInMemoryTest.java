// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import io.safebunny.test.Broker;
import io.safebunny.test.BunnyTest;

@BunnyTest(classes = Trips.class, broker = Broker.MEMORY)
class TripsInMemoryTest extends TripRules {}
