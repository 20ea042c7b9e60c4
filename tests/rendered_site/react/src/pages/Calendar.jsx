import { useEffect } from 'react';
import { Link, useParams } from 'react-router';

const monthAfter = (month, step) => {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + step, 1)).toISOString().slice(0, 7);
};

/** Every month has a page, and none of them says anything. */
export default function Calendar() {
  const { month } = useParams();
  useEffect(() => { document.title = `Calendar ${month}`; }, [month]);
  const days = Array.from({ length: 28 }, (_, at) => `On day ${at + 1} nothing takes place and nothing can be booked.`);
  return (
    <main>
      <article>
        <h1>Calendar {month}</h1>
        {days.map(text => <p key={text}>{text}</p>)}
      </article>
      <nav>
        <Link to={`/calendar/${monthAfter(month, -1)}`}>earlier</Link> <Link to={`/calendar/${monthAfter(month, 1)}`}>later</Link>
      </nav>
    </main>
  );
}
