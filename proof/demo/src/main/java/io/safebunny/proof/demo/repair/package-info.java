// SPDX-License-Identifier: Apache-2.0
/** What a person does who looks after sagas: reads poison queues, replays, and repairs. Written down, so that chaos can be mended while it strikes. */
@NullMarked
package io.safebunny.proof.demo.repair;

import org.jspecify.annotations.NullMarked;
