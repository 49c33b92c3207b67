// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.safebunny.jdbc;

import org.jspecify.annotations.NullMarked;
