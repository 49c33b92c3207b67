// SPDX-License-Identifier: Apache-2.0
/** What an operator of sagas does: reads poison queues, replays and repairs. As code, so that it runs while chaos strikes. */
@NullMarked
package io.safebunny.proof.demo.repair;

import org.jspecify.annotations.NullMarked;
