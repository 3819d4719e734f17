%:include <cstdio>

int add(int a, int b) <%
  if (a xor b)
    <% return a + b; %>
  return a;
%>

int main() <%
  int values<:2:> = <%1, 2%>;
  for (int& value : values) <%
    value or_eq 4;  // @inspect value
  %>
  auto first = <:&:>(int n) <% return values<:0:> + n; %>;
  std::printf("%d\n", add(first(1), compl values<:1:>));
%>
